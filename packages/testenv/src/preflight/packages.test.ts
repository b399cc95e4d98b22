import { describe, expect, it } from 'vitest';
import { isOutdated, parseStatus } from './packages.ts';

describe('parseStatus', () => {
  it('counts downloads as the first half', () => {
    expect(parseStatus('dlstatus:1:50.0000:Retrieving file 1 of 2')).toEqual({
      fraction: 0.25,
      detail: 'Retrieving file 1 of 2',
    });
  });

  it('counts the installation as the second half, and never as finished', () => {
    expect(parseStatus('pmstatus:runc:50:Unpacking runc (amd64)')?.fraction).toBe(0.75);
    expect(parseStatus('pmstatus:dpkg-exec:100.0000:Running dpkg')?.fraction).toBe(0.99);
  });

  it.each(['', 'media-change: x', 'pmerror:runc:50:it broke', 'pmstatus:runc'])('has no use for %j', (line) => {
    expect(parseStatus(line)).toBeUndefined();
  });
});

describe('isOutdated', () => {
  it.each([
    'E: Unable to locate package containerd',
    "E: Package 'runc' has no installation candidate",
    'E: Failed to fetch http://deb.example/runc.deb  404  Not Found',
  ])('expects help from newer lists after %j', (message) => {
    expect(isOutdated(new Error(message))).toBe(true);
  });

  it('expects none where dpkg is locked', () => {
    expect(isOutdated(new Error('E: Could not get lock /var/lib/dpkg/lock-frontend'))).toBe(false);
  });
});
