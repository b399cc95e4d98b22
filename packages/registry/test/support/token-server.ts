/** Gives out tokens as the distribution specification says, signed so that a real registry believes them. */
import { createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto';
import { selfSigned } from './certificate.ts';
import { type Asked, type ScriptedServer, scriptedServer } from './scripted-server.ts';

const SERVICE = 'the registry';
const ISSUER = 'a test';

/** Who may do what: actions by name, `` for nobody in particular. */
export type Rights = Readonly<Record<string, readonly string[]>>;

export interface TokenServer {
  readonly server: ScriptedServer;
  /** What a registry must be told. */
  readonly tokens: { realm: string; service: string; issuer: string; cert: string };
}

/** @param passwords Of those who are known; a refresh token is `refresh-NAME`. */
export async function tokenServer(passwords: Readonly<Record<string, string>>, rights: Rights): Promise<TokenServer> {
  const { cert, key } = selfSigned('tokens');
  const server = await scriptedServer((asked) => {
    const parameters = new URLSearchParams(asked.method === 'POST' ? asked.body : asked.path.replace(/^.*\?/, ''));
    const who = whoIs(asked, parameters, passwords);
    if (who === undefined) return { status: 401 };
    const scopes = parameters.getAll('scope').flatMap((each) => each.split(' '));
    const token = jwt(
      key,
      cert,
      who,
      scopes.flatMap((scope) => access(scope, rights[who] ?? [])),
    );
    return { body: JSON.stringify({ token, access_token: token, expires_in: 300 }) };
  });
  return { server, tokens: { realm: `${server.url}/token`, service: SERVICE, issuer: ISSUER, cert } };
}

function whoIs(
  { headers }: Asked,
  parameters: URLSearchParams,
  passwords: Readonly<Record<string, string>>,
): string | undefined {
  const refresh = parameters.get('refresh_token');
  if (refresh !== null) return Object.keys(passwords).find((name) => refresh === `refresh-${name}`);
  if (headers.authorization === undefined) return '';
  const [name = '', ...rest] = Buffer.from(headers.authorization.replace('Basic ', ''), 'base64').toString().split(':');
  return passwords[name] === rest.join(':') ? name : undefined;
}

function access(scope: string, allowed: readonly string[]): object[] {
  const [type, name, actions = ''] = scope.split(':');
  return [{ type, name, actions: actions.split(',').filter((action) => allowed.includes(action)) }];
}

function jwt(key: string, cert: string, sub: string, access: object[]): string {
  const now = Math.floor(Date.now() / 1000);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const x5c = [new X509Certificate(cert).raw.toString('base64')];
  const claims = { iss: ISSUER, sub, aud: SERVICE, exp: now + 300, nbf: now - 10, iat: now, jti: randomUUID(), access };
  const text = `${encode({ typ: 'JWT', alg: 'ES256', x5c })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: createPrivateKey(key), dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}
