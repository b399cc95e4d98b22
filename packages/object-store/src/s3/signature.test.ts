// AWS's own examples: those of its documentation of S3, and those of its test suite for signature version 4.
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { amzDate, authorization, encodePath, queryString } from './signature.ts';

const signatureOf = (header: string) => /Signature=([0-9a-f]{64})$/.exec(header)?.[1];
const EMPTY = hash('sha256', '', 'hex');

describe('the examples of the documentation of S3', () => {
  const scope = {
    credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    region: 'us-east-1',
    service: 's3',
    date: new Date('2013-05-24T00:00:00Z'),
  };
  const host = { host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': '20130524T000000Z' };
  const request = { method: 'GET', path: '/', query: {}, headers: {}, payload: EMPTY };

  it('GET of an object', () => {
    const headers = { ...host, range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY };
    expect(authorization({ ...request, path: '/test.txt', headers }, scope)).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
        'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, ' +
        'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });

  it('PUT of an object', () => {
    const payload = hash('sha256', 'Welcome to Amazon S3.', 'hex');
    const headers = {
      ...host,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': payload,
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    };
    const path = `/${encodePath('test$file.text')}`;
    const signed = authorization({ ...request, method: 'PUT', path, headers, payload }, scope);
    expect(signatureOf(signed)).toBe('98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd');
  });

  it.each([
    ['GET of a lifecycle', { lifecycle: '' }, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['a list', { 'max-keys': '2', prefix: 'J' }, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('%s', (_name, query: Record<string, string>, signature) => {
    const headers = { ...host, 'x-amz-content-sha256': EMPTY };
    expect(signatureOf(authorization({ ...request, query, headers }, scope))).toBe(signature);
  });
});

describe('the test suite of signature version 4', () => {
  const scope = {
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
    region: 'us-east-1',
    service: 'service',
    date: new Date('2015-08-30T12:36:00Z'),
  };
  const headers: Record<string, string> = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' };
  const vanilla = { method: 'GET', path: '/', query: {}, headers, payload: EMPTY };
  const unreserved = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const token =
    'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

  it.each([
    ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      { query: { Param2: 'value2', Param1: 'value1' } },
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-vanilla-query-unreserved',
      { query: { [unreserved]: unreserved } },
      '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
    ],
    [
      'get-vanilla-utf8-query',
      { query: { ሴ: 'bar' } },
      '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    ],
    ['get-utf8', { path: `/${encodePath('ሴ')}` }, '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85'],
    [
      'get-unreserved',
      { path: `/${encodePath(unreserved)}` },
      '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
    ],
    [
      'get-header-value-trim',
      { headers: { ...headers, 'my-header1': ' value1', 'my-header2': ' "a   b   c"' } },
      'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    ],
    ['post-vanilla', { method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-sts-header-before',
      { method: 'POST', headers: { ...headers, 'x-amz-security-token': token } },
      '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    ],
    [
      'post-x-www-form-urlencoded',
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        payload: hash('sha256', 'Param1=value1', 'hex'),
      },
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('%s', (_name, difference, signature) => {
    expect(signatureOf(authorization({ ...vanilla, ...difference }, scope))).toBe(signature);
  });
});

describe('encoding', () => {
  it('leaves nothing but unreserved characters and slashes', () => {
    expect(encodePath("a b/c+d/(e)!*'~/ü%")).toBe('a%20b/c%2Bd/%28e%29%21%2A%27~/%C3%BC%25');
  });

  it('sorts a query by its encoded names', () => {
    expect(queryString({ b: '2', a: '', 'a-b': 'x y', ä: '1' })).toBe('%C3%A4=1&a=&a-b=x%20y&b=2');
  });

  it('writes dates as AWS does', () => {
    expect(amzDate(new Date('2026-01-02T03:04:05.678Z'))).toBe('20260102T030405Z');
  });
});
