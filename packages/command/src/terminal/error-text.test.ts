import { expect, it } from 'vitest';
import { CliError } from '../error.ts';
import { errorText } from './error-text.ts';

const error = new CliError('KUR_CLI_X', 'it broke', { remedy: 'mend it', cause: new Error('rust') });

it('says what happened and what mends it', () => {
  expect(errorText(error, { verbose: false })).toBe('error: it broke\n  fix: mend it');
});

it('adds the code, the trace and the cause with --verbose', () => {
  const text = errorText(error, { verbose: true });
  expect(text).toContain('  code: KUR_CLI_X');
  expect(text).toContain('    at ');
  expect(text).toContain('  caused by: rust');
});

it('says how to learn more about an error that nobody foresaw', () => {
  expect(errorText(new TypeError('x is not a function'), { verbose: false })).toContain('--verbose');
});

it('shows what is no error, too', () => {
  expect(errorText('gone', { verbose: false })).toBe('error: gone');
});
