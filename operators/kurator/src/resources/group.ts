/** Where all of the healer's kinds live. */
export const group = 'kurator.sh';
export const version = 'v1alpha1';
