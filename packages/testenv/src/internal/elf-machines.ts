/** Processors by the number that an ELF header has for them, in the words of Go and of container platforms. */
export const elfMachines: Readonly<Record<number, string>> = {
  3: '386',
  40: 'arm',
  62: 'amd64',
  183: 'arm64',
  21: 'ppc64le',
  22: 's390x',
  243: 'riscv64',
};
