import { ClientError } from '@kurator/client';
import { expect, it } from 'vitest';
import { RuntimeError } from '../../error.ts';
import { farewell } from './farewell.ts';

it('says what happened, what to search for, and what helps', () => {
  const error = new RuntimeError('KUR_RUNTIME_LISTEN', "can't listen on *:8080", { remedy: 'give another port' });
  expect(farewell(error)).toBe("can't listen on *:8080 (KUR_RUNTIME_LISTEN)\n  what helps: give another port");
  expect(farewell(new ClientError('KUR_CLIENT_UNREACHABLE', 'nobody answers'))).toBe(
    'nobody answers (KUR_CLIENT_UNREACHABLE)',
  );
});

it('shows where a mistake in the program is', () => {
  expect(farewell(new TypeError('x is undefined'))).toContain('farewell.test.ts');
  expect(farewell('text')).toBe('text');
});
