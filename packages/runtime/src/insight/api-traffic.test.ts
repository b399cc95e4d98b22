import { channel } from 'node:diagnostics_channel';
import { expect, it, onTestFinished } from 'vitest';
import { ApiTraffic } from './api-traffic.ts';

const answers = channel('kurator:client:answer');

function listening() {
  const traffic = new ApiTraffic('https://127.0.0.1:6443');
  traffic.start();
  onTestFinished(() => traffic.stop());
  const happens = (status: number | undefined, origin = 'https://127.0.0.1:6443') =>
    answers.publish({ request: { origin, method: 'GET' }, status });
  return { traffic, happens };
}

it.each([200, 403, 404])('takes an answer with status %d for a sign that the server works', (status) => {
  const { traffic, happens } = listening();
  happens(status);
  expect(traffic.lastAnswerAt).toBeTypeOf('number');
});

it.each([401, undefined])('is in doubt again after status %s', (status) => {
  const { traffic, happens } = listening();
  happens(200);
  happens(status);
  expect(traffic.lastAnswerAt).toBeUndefined();
});

it.each([500, 503])('learns nothing from status %d', (status) => {
  const { traffic, happens } = listening();
  happens(status);
  expect(traffic.lastAnswerAt).toBeUndefined();
});

it('counts what was asked of its own server alone', () => {
  const { traffic, happens } = listening();
  happens(200);
  happens(undefined);
  happens(200, 'https://elsewhere');
  const samples = Array.from(traffic.family.samples(), ({ labels, value }) => [labels?.code, value]);
  expect(samples).toEqual([
    ['200', 1],
    ['<error>', 1],
  ]);
});
