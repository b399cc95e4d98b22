import { describe, expect, it } from 'vitest';
import { fakeSession } from '../../test/fake-session.ts';
import { createPlugin, createProgram } from '../program.ts';
import { completions } from './complete.ts';
import { offerAt } from './place.ts';

const program = createProgram(fakeSession());
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
    ['deploy --watch', ['namespaces']],
    ['get --watch', ['kurators']],
    ['get --context', ['contexts']],
    ['cluster up --name', ['clusters']],
    ['build', []],
  ])('is known by name: %s', (line, sources) => expect(at(line).sources).toEqual(sources));

  it('offers the values of an option, and nothing else, right after it', () => {
    expect(at('get -o')).toMatchObject({ words: ['json', 'yaml', 'wide'], sources: [] });
  });

  it('knows which cluster and namespace the line means', () => {
    expect(at('get web -n shop --context east -A').said).toEqual({
      namespace: 'shop',
      context: 'east',
      allNamespaces: true,
    });
  });

  it('does not take a value for a command', () => {
    expect(at('get -n cluster').sources).toEqual(['kurators']);
  });
});

describe('without a cluster', () => {
  it('offers what is known, and says nothing', async () => {
    const line = ['get', '--kubeconfig', '/does/not/exist', ''];
    expect(await completions(createPlugin(fakeSession()), line)).toEqual(
      expect.arrayContaining(['--watch', '--output']),
    );
  });

  it('offers what begins with what was typed', async () => {
    expect(await completions(createPlugin(fakeSession()), ['inc'])).toEqual(['incidents']);
  });
});
