import { ClientError } from '@kurator/client';
import { expect, it } from 'vitest';
import { RuntimeError } from '../error.ts';
import { fatalMessage } from './run.ts';

it('says what happened, what to search for, and what helps', () => {
  const error = new RuntimeError('KUR_RUNTIME_LISTEN', "can't listen on *:8080", { remedy: 'give another port' });
  expect(fatalMessage(error)).toBe("can't listen on *:8080 (KUR_RUNTIME_LISTEN)\n  what helps: give another port");
  expect(fatalMessage(new ClientError('KUR_CLIENT_UNREACHABLE', 'nobody answers'))).toBe(
    'nobody answers (KUR_CLIENT_UNREACHABLE)',
  );
});

it('shows where a mistake in the program is', () => {
  expect(fatalMessage(new TypeError('x is undefined'))).toContain('run.test.ts');
  expect(fatalMessage('text')).toBe('text');
});
