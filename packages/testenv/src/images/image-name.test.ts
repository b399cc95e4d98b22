import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeImageName, parseImageName } from './image-name.ts';

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
    [`web@sha256:${'0'.repeat(64)}`, 'it has a digest'],
    ['x'.repeat(300), 'longer than 255'],
  ])('refuses "%s" and says why', (name, why) => {
    expect(() => normalizeImageName(name)).toThrow(
      expect.objectContaining({ code: 'KUR_TESTENV_IMAGE_NAME', message: expect.stringContaining(why) }),
    );
  });

  it('changes nothing when applied twice', () => {
    const part = fc.stringMatching(/^[a-z0-9]+([._-][a-z0-9]+)?$/);
    const name = fc.tuple(
      fc.array(part, { minLength: 1, maxLength: 4 }),
      fc.option(fc.stringMatching(/^\w[\w.-]{0,9}$/)),
    );
    fc.assert(
      fc.property(name, ([parts, tag]) => {
        const full = normalizeImageName(parts.join('/') + (tag === null ? '' : `:${tag}`));
        expect(normalizeImageName(full)).toBe(full);
        expect(parseImageName(full).tag).toBe(tag ?? 'latest');
      }),
    );
  });
});
