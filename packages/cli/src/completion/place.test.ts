import { completionAnswer, offerAt } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';

const program = await createProgram(fakeSession());
const at = (line: string) => offerAt(program, line.split(' ').filter(Boolean));

describe('the place in a line', () => {
  it('is the beginning', () => {
    expect(at('').words).toEqual(expect.arrayContaining(['cluster', 'get', '--help']));
    expect(at('').words).not.toContain('__complete');
  });

  it.each([
    ['get', ['kurators']],
    ['get web', ['kurators']],
    ['explain -n shop', ['incidents', 'kurators']],
    ['get -n', ['namespaces']],
    ['deploy --watch-namespace', ['namespaces']],
    ['deploy --watch', ['namespaces']],
    ['get --watch', ['kurators']],
    ['get --context', ['contexts']],
    ['cluster up --name', ['clusters']],
    ['build', []],
  ])('is known by name: %s', (line, sources) => expect(at(line).sources).toEqual(sources));

  it('offers the values of an option, and nothing else, right after it', () => {
    expect(at('get -o')).toMatchObject({ words: ['json', 'yaml', 'wide', 'name'], sources: [] });
  });

  it('knows which cluster and namespace the line means', () => {
    expect(at('get web -n shop --context east -A').said).toEqual({
      namespace: 'shop',
      context: 'east',
      allNamespaces: true,
    });
  });

  it('knows values that are assigned', () => {
    expect(at('get --namespace=shop web').said).toEqual({ namespace: 'shop' });
    expect(at('get --namespace=shop').sources).toEqual(['kurators']);
  });

  it('does not take a value for a command', () => {
    expect(at('get -n cluster').sources).toEqual(['kurators']);
  });
});

describe('the answer to a shell', () => {
  it.each([
    ['a project', ['dev', ''], ':16'],
    ['an archive', ['push', ''], ':0'],
    ['the value of an option that is a file', ['build', '--sbom', ''], ':0'],
    ['an option', ['push', '--'], ':4'],
    ['a form', ['version', '-o', ''], ':4'],
  ])('says whether files may come: %s', async (_, words, directive) => {
    expect((await completionAnswer(program, words)).split('\n').at(-1)).toBe(directive);
  });

  it('says what each word means, and keeps the option of a value that is assigned', async () => {
    expect(await completionAnswer(program, ['doc'])).toMatch(/^doctor\tsay what this machine can .*\n:4$/);
    expect(await completionAnswer(program, ['version', '--output=y'])).toBe('--output=yaml\n:4');
  });
});
