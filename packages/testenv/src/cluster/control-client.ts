/** Talks to a cluster's supervisor over its control socket. */
import { request } from 'node:http';
import { TestenvError, type TestenvErrorCode } from '../error.ts';

export async function askSupervisor<T>(
  socket: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  const { status, text } = await send(socket, method, path, body);
  const answer = JSON.parse(text) as T & { code?: TestenvErrorCode; message?: string; remedy?: string };
  if (status < 300) return answer;
  throw new TestenvError(answer.code ?? 'KUR_TESTENV_CONTROL', answer.message ?? `the supervisor answered ${status}`, {
    ...(answer.remedy ? { remedy: answer.remedy } : {}),
  });
}

async function send(
  socketPath: string,
  method: string,
  path: string,
  body: unknown,
): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path: `/${path}` }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 500, text }));
    });
    outgoing.on('error', (cause) =>
      reject(
        new TestenvError('KUR_TESTENV_NOT_RUNNING', 'the cluster does not answer: its supervisor is not running', {
          cause,
        }),
      ),
    );
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
