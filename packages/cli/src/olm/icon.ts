/** For operators without a picture of their own: a ring that closes itself. */
export const defaultIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
  <rect width="64" height="64" rx="14" fill="#10312b"/>
  <path d="M46 20a18 18 0 1 0 4 16" fill="none" stroke="#5ad1a5" stroke-width="6" stroke-linecap="round"/>
  <path d="M48 10v12H36" fill="none" stroke="#5ad1a5" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"/>
  <circle cx="32" cy="32" r="6" fill="#fff"/>
</svg>
`;
