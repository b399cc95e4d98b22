import { readdir, readFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  brokenOff,
  corrupted,
  first,
  reset,
  type Serve,
  sha256,
  startReleaseServer,
  status,
  truncated,
  whole,
} from '../../test/binaries/release-server.ts';
import { temporaryFolder } from '../../test/binaries/temporary-folder.ts';
import { type DownloadOptions, fetchFile, fetchText, proxyDispatcher } from './download.ts';

/** Larger than what may be lost in buffers when a connection breaks, so that something is there to go on from. */
const file = Buffer.alloc(8_000_000, 'all work and no play');

/** Serves the file in some way, fetches it, and tells what came of it. */
async function fetchServed(serve: Serve, options: Partial<DownloadOptions> = {}, env: NodeJS.ProcessEnv = {}) {
  await using server = await startReleaseServer();
  await using folder = await temporaryFolder();
  server.serve('/file', serve);
  const path = join(folder.path, 'file');
  const dispatcher = proxyDispatcher(env);
  try {
    const outcome = await fetchFile(`${server.url}/file`, sha256(file), path, {
      dispatcher,
      pause: 1,
      ...options,
    }).then(
      () => 'fetched',
      (error) => error.code ?? error.name,
    );
    const content = await readFile(path).catch(() => undefined);
    return {
      outcome,
      intact: content?.equals(file),
      left: await readdir(folder.path),
      requests: server.requests.length,
    };
  } finally {
    await dispatcher.destroy();
  }
}

describe('fetchFile', () => {
  it('fetches a file whose sum is right', async () => {
    expect(await fetchServed(whole(file))).toMatchObject({ outcome: 'fetched', intact: true, requests: 1 });
  });

  it('goes on from where the connection broke', async () => {
    const ranges: (string | undefined)[] = [];
    const serve = first(1, brokenOff(file), (response, count, request) => {
      ranges.push(request.headers.range);
      whole(file)(response, count, request);
    });
    expect(await fetchServed(serve)).toMatchObject({ outcome: 'fetched', intact: true, requests: 2 });
    expect(ranges).toEqual([expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  });

  it('survives a connection that is reset', async () => {
    expect(await fetchServed(first(1, reset(file), whole(file)))).toMatchObject({ outcome: 'fetched', intact: true });
  });

  it('begins anew where the server can not resume', async () => {
    const everything: Serve = (response) => response.end(file);
    expect(await fetchServed(first(1, brokenOff(file), everything))).toMatchObject({
      outcome: 'fetched',
      intact: true,
    });
  });

  it('begins anew where the server refuses to resume', async () => {
    const serve: Serve = (response, count, request) => {
      const how = count === 1 ? brokenOff(file) : request.headers.range ? status(416) : whole(file);
      how(response, count, request);
    };
    expect(await fetchServed(serve)).toMatchObject({ outcome: 'fetched', intact: true, requests: 3 });
  });

  it('waits for a server that is busy', async () => {
    expect(await fetchServed(first(2, status(503), whole(file)))).toMatchObject({ outcome: 'fetched', requests: 3 });
  });

  it('tries again after one corrupted transfer', async () => {
    expect(await fetchServed(first(1, corrupted(file), whole(file)))).toMatchObject({
      outcome: 'fetched',
      intact: true,
    });
  });

  it.each([
    ['a corrupted file', corrupted(file), 'KUR_TESTENV_CHECKSUM', 2],
    ['a truncated file', truncated(file), 'KUR_TESTENV_CHECKSUM', 2],
    ['a file that is not there', status(404), 'KUR_TESTENV_UNKNOWN_VERSION', 1],
    ['a file that is refused', status(403), 'KUR_TESTENV_DOWNLOAD', 1],
    ['a server that stays broken', status(500), 'KUR_TESTENV_DOWNLOAD', 5],
    ['a connection that always breaks', (response) => response.socket?.resetAndDestroy(), 'KUR_TESTENV_DOWNLOAD', 5],
  ] as [string, Serve, string, number][])(
    'gives up on %s and leaves nothing behind',
    async (_name, serve, code, requests) => {
      expect(await fetchServed(serve)).toEqual({ outcome: code, intact: undefined, left: [], requests });
    },
  );

  it('reports how much has come of how much', async () => {
    const reports: [number, number | undefined][] = [];
    await fetchServed(first(1, brokenOff(file), whole(file)), { onProgress: (...report) => reports.push(report) });
    expect(reports.at(-1)).toEqual([file.length, file.length]);
    expect(reports.every(([received, total]) => received <= Number(total))).toBe(true);
  });

  it('stops when it is told to and leaves nothing behind', async () => {
    const controller = new AbortController();
    const never: Serve = (response) => {
      response.writeHead(200, { 'content-length': file.length });
      response.write(file.subarray(0, 1000), () => controller.abort());
    };
    expect(await fetchServed(never, { signal: controller.signal })).toMatchObject({ outcome: 20, left: [] });
  });
});

describe('a server that is not there', () => {
  it('is called unreachable, with its address', async () => {
    await using gone = await startReleaseServer();
    await gone[Symbol.asyncDispose]();
    const dispatcher = proxyDispatcher({});
    await expect(fetchText(`${gone.url}/sums`, { dispatcher, pause: 1 })).rejects.toMatchObject({
      code: 'KUR_TESTENV_UNREACHABLE',
      message: expect.stringContaining(`${gone.url}/sums`),
    });
    await dispatcher.destroy();
  });
});

describe('a proxy in the environment', () => {
  it('is gone through', async () => {
    await using proxy = await startProxy();
    expect(await fetchServed(whole(file), {}, { HTTP_PROXY: proxy.url })).toMatchObject({ outcome: 'fetched' });
    expect(proxy.seen).toHaveLength(1);
  });

  it('is left out for the hosts in NO_PROXY', async () => {
    await using proxy = await startProxy();
    const env = { http_proxy: proxy.url, NO_PROXY: 'example.org,127.0.0.1' };
    expect(await fetchServed(whole(file), {}, env)).toMatchObject({ outcome: 'fetched' });
    expect(proxy.seen).toEqual([]);
  });

  it('is asked for a tunnel to a server that speaks TLS', async () => {
    await using proxy = await startProxy();
    await using server = await startReleaseServer();
    const dispatcher = proxyDispatcher({ HTTPS_PROXY: proxy.url });
    // The server behind the tunnel speaks no TLS, so the fetch itself fails; what counts is the way it took.
    await expect(fetchText(server.url.replace('http:', 'https:'), { dispatcher, pause: 1 })).rejects.toThrow();
    expect(proxy.seen[0]).toBe(`CONNECT ${new URL(server.url).host}`);
    await dispatcher.destroy();
  });

  it('is named as unreachable where it is', async () => {
    expect(await fetchServed(whole(file), {}, { HTTP_PROXY: 'http://127.0.0.1:1' })).toMatchObject({
      outcome: 'KUR_TESTENV_UNREACHABLE',
      requests: 0,
    });
  });
});

/** A forward proxy, for plain requests and for tunnels. */
async function startProxy() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const onward = forward(String(request.url), { headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.end();
  });
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
