import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Reach } from './reach.ts';

describe('what is never talked to', () => {
  const reach = new Reach();
  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::169.254.169.254',
    '::127.0.0.1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '64:ff9b:1::a9fe:a9fe',
    '2001:0:1::7f00:1',
  ])('%s', (address) => {
    expect(reach.refuses(address)).toBe(true);
    expect(new Reach({ hostNetwork: true }).refuses(address, 'host pod')).toBe(true);
  });

  it.each(['10.0.0.1', '192.168.1.1', '8.8.8.8', '2001:db8::1', 'fd12::1', '::ffff:10.0.0.1'])(
    'is not %s',
    (address) => {
      expect(reach.refuses(address)).toBe(false);
    },
  );

  it('is no less so for however an address is written', () => {
    // As the URL parser reads decimal, octal, hexadecimal and short forms.
    for (const host of ['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '[::ffff:7f00:1]', '0']) {
      expect(() => reach.check(new URL(`http://${host}/`).hostname), host).toThrow('not allowed');
    }
  });

  it('hides behind no prefix', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, fc.constantFrom('::ffff:', '64:ff9b::'), (a, b, c, prefix) => {
        expect(reach.refuses(`${prefix}127.${a}.${b}.${c}`)).toBe(true);
        expect(reach.refuses(`${prefix}10.${a}.${b}.${c}`)).toBe(false);
      }),
    );
  });
});

describe('nodes and the API server', () => {
  let nodes = ['10.0.0.1', '2001:db8::5', 'node.local'];
  let now = 0;
  const reach = new Reach({ nodes: () => nodes, apiServer: () => ['10.96.0.1'], now: () => now });

  it('are not for those who write an address', () => {
    expect(reach.refuses('10.0.0.1')).toBe(true);
    expect(reach.refuses('::ffff:10.0.0.1')).toBe(true);
    expect(reach.refuses('2001:db8:0::5')).toBe(true);
    expect(reach.refuses('10.0.0.2')).toBe(false);
  });

  it('may be asked for a pod that lives in its node’s network, where that is allowed', () => {
    const allowing = new Reach({ nodes: () => nodes, apiServer: () => ['10.96.0.1'], hostNetwork: true });
    expect(reach.refuses('10.0.0.1', 'host pod')).toBe(true);
    expect(allowing.refuses('10.0.0.1', 'host pod')).toBe(false);
    expect(allowing.refuses('10.0.0.1')).toBe(true);
    expect(allowing.refuses('10.96.0.1', 'host pod')).toBe(true);
  });

  it('are known anew from time to time', () => {
    nodes = ['10.0.0.2'];
    now = 60_000;
    expect(reach.refuses('10.0.0.2')).toBe(true);
    expect(reach.refuses('10.0.0.1')).toBe(false);
  });
});

describe('what is allowed besides', () => {
  it('is an address or a range', () => {
    const reach = new Reach({ allow: ['127.0.0.1', '169.254.1.0/24'] });
    expect(['127.0.0.1', '169.254.1.9', '127.0.0.2'].map((address) => reach.refuses(address))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it.each(['10.0.0.0/33', '10.0.0', 'example.com', '::/129', '10.0.0.0/x'])('is not %s', (range) => {
    expect(() => new Reach({ allow: [range] })).toThrow(`"${range}" is no address`);
  });
});

describe('a name', () => {
  let close = () => {};
  afterEach(() => close());
  const listen = async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = () => server.close();
    return (server.address() as AddressInfo).port;
  };
  const opened = (port: number, reach: Reach) =>
    new Promise<string>((resolve) => {
      const socket = connect({ host: 'localhost', port, lookup: reach.lookup });
      socket.once('connect', () => resolve('open')).once('error', ({ message }) => resolve(message));
      socket.once('close', () => socket.destroy());
    });

  it('that leads to such an address is not connected to', async () => {
    expect(await opened(await listen(), new Reach())).toBe('the address is not allowed');
  });

  it('that is the API server’s leads nowhere, whatever its addresses are by then', async () => {
    // The resolver reads a number as an address, so that no network is needed: 192.0.2.1.
    const name = '3221225985';
    const found = (reach: Reach) =>
      new Promise((resolve) =>
        reach.lookup(name, { all: false }, (error, address) => resolve(error?.message ?? address)),
      );
    const apiServer = () => [name];
    expect(await found(new Reach())).toBe('192.0.2.1');
    expect(await found(new Reach({ apiServer }))).toBe('the address is not allowed');
    expect(await found(new Reach({ apiServer, allow: ['192.0.2.1'] }))).toBe('192.0.2.1');
  });

  it('is connected to where that is allowed', async () => {
    expect(await opened(await listen(), new Reach({ allow: ['127.0.0.0/8'] }))).toBe('open');
  });
});
