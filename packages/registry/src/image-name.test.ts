import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from './blob.ts';
import { RegistryError } from './error.ts';
import { formatImageName, normalizeImageName, parseImageName } from './image-name.ts';

const digest = `sha256:${'0'.repeat(64)}`;

describe('normalizeImageName', () => {
  it.each([
    ['web', 'docker.io/library/web:latest'],
    ['web:v1', 'docker.io/library/web:v1'],
    ['demo/web:v1', 'docker.io/demo/web:v1'],
    ['docker.io/web:v1', 'docker.io/library/web:v1'],
    ['localhost/web', 'localhost/web:latest'],
    ['10.96.0.3:5000/demo/web:v1', '10.96.0.3:5000/demo/web:v1'],
    ['registry.example.com/a/b/c:1.2.3', 'registry.example.com/a/b/c:1.2.3'],
    ['[fd00::3]:5000/web:v1', '[fd00::3]:5000/web:v1'],
    ['a__b/c-d--e.f_g:V_1', 'docker.io/a__b/c-d--e.f_g:V_1'],
    ['index.docker.io/web', 'docker.io/library/web:latest'],
    [`web@${digest}`, `docker.io/library/web@${digest}`],
    [`web:v1@${digest}`, `docker.io/library/web:v1@${digest}`],
    [`localhost:5000/web@sha512:${'a'.repeat(128)}`, `localhost:5000/web@sha512:${'a'.repeat(128)}`],
  ])('reads %s as the kubelet does', (short, full) => {
    expect(normalizeImageName(short)).toBe(full);
  });

  it.each([
    ['', 'a part of it is empty'],
    ['Web:v1', '"Web" is not allowed'],
    ['demo//web', 'a part of it is empty'],
    ['demo/', 'a part of it is empty'],
    ['web:', '"" is not a tag'],
    ['web:-v1', '"-v1" is not a tag'],
    ['web:a b', '"a b" is not a tag'],
    [`web:${'x'.repeat(129)}`, 'is not a tag'],
    ['web_.x', '"web_.x" is not allowed'],
    ['../web', 'is not a registry'],
    ['-bad.example.com/web', 'is not a registry'],
    [`web@sha256:${'0'.repeat(63)}`, 'is not a digest'],
    [`web@sha256:${'A'.repeat(64)}`, 'is not a digest'],
    [`web@md5:${'0'.repeat(32)}`, 'is not a digest'],
    ['web@', '"" is not a digest'],
    ['x'.repeat(100_000), 'far too long'],
    ['x'.repeat(300), 'longer than 255'],
  ])('refuses "%s" and says why', (name, why) => {
    expect(() => normalizeImageName(name)).toThrow(
      expect.objectContaining({ code: 'KUR_REGISTRY_NAME', message: expect.stringContaining(why) }),
    );
  });

  const part = fc.stringMatching(/^[a-z0-9]{1,8}([._-][a-z0-9]{1,8})?$/);
  const names = fc.record({
    host: fc.constantFrom('', 'docker.io/', 'localhost/', 'localhost:5000/', 'r.example.com/', '[fd00::3]:5000/'),
    path: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    tag: fc.option(fc.stringMatching(/^\w[\w.-]{0,9}$/)),
    digest: fc.option(fc.nat().map((number) => sha256(String(number)))),
  });

  it('prints what it reads, and reads what it prints', () => {
    fc.assert(
      fc.property(names, ({ host, path, tag, digest }) => {
        const text = `${host}${path}${tag === null ? '' : `:${tag}`}${digest === null ? '' : `@${digest}`}`;
        const parsed = parseImageName(text);
        expect(parseImageName(formatImageName(parsed))).toEqual(parsed);
        expect(parsed.tag).toBe(tag ?? (digest === null ? 'latest' : undefined));
        expect(parsed.digest).toBe(digest ?? undefined);
      }),
    );
  });

  it('throws nothing but its own error, whatever the text is', () => {
    const letters = fc.constantFrom(...'aA0-_./:@[]{}%? \n\u0000é');
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(letters, { maxLength: 40 }).map((each) => each.join('')),
      fc.tuple(names, fc.string()).map(([{ host, path }, rest]) => `${host}${path}${rest}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const parsed = parseImageName(text);
          expect(parseImageName(formatImageName(parsed))).toEqual(parsed);
        } catch (error) {
          if (!(error instanceof RegistryError) || error.code !== 'KUR_REGISTRY_NAME') throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
