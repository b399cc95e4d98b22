/**
 * Records the tour as it runs on this machine, and makes the README's picture of it, which moves:
 *
 *     node scripts/run.mjs scripts/record-tour.mjs            # Linux, root; about two minutes
 *     node scripts/run.mjs scripts/record-tour.mjs --again    # draws the last recording once more
 *
 * The recording (`recording.json` in the cache: what was written, and when) is of a real terminal, made by script(1). Only
 * its tempo is changed: nothing stands still for longer than a second, and all is twice as fast. The times that it tells are the real ones.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { filmSvg } from './picture/film.mjs';
import { createTerminal } from './picture/terminal.mjs';

const root = dirname(import.meta.dirname);
const picture = join(root, 'docs', 'images', 'tour.svg');
const kept = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kurator', 'tour', 'recording.json');
const columns = 112;
const rows = 34;
const SPEED = 2;
const LONGEST_PAUSE = 1000;
const BETWEEN_FRAMES = 350;

/** @typedef {[at: number, text: string]} Written */

/** @returns {Promise<Written[]>} */
async function record() {
  const command = `stty cols ${columns} rows ${rows}; exec '${process.execPath}' --conditions=source packages/cli/src/main.ts tour --once`;
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd: root,
    env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: '', SHELL: '/bin/sh' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  /** @type {Written[]} */
  const written = [];
  const started = Date.now();
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    written.push([Date.now() - started, text]);
    process.stderr.write(text);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the tour ended with ${code}: nothing is drawn of it`);
  await mkdir(dirname(kept), { recursive: true });
  await writeFile(kept, JSON.stringify(written));
  return written;
}

/** @param {Written[]} written */
function framesOf(written) {
  const terminal = createTerminal(columns, rows);
  terminal.write('\x1b[32m$\x1b[39m npm start\r\n');
  /** @type {import('./picture/film.mjs').Frame[]} */
  const frames = [{ at: 0, lines: terminal.screen() }];
  let now = 1000;
  let before = 0;
  for (const [at, text] of written) {
    now += Math.min(LONGEST_PAUSE, (at - before) / SPEED);
    before = at;
    terminal.write(text);
    const frame = { at: now, lines: terminal.screen() };
    const last = frames.at(-1);
    if (JSON.stringify(last?.lines) === JSON.stringify(frame.lines)) continue;
    // What comes too soon after a frame takes its place.
    if (last && frames.length > 1 && now - last.at < BETWEEN_FRAMES)
      frames[frames.length - 1] = { ...frame, at: last.at };
    else frames.push(frame);
  }
  return frames;
}

const isAgain = process.argv.includes('--again');
const written = isAgain ? /** @type {Written[]} */ (JSON.parse(await readFile(kept, 'utf8'))) : await record();
const frames = framesOf(written);
const svg = filmSvg({ title: 'What npm start shows, in a terminal', columns, rows, frames });
await writeFile(picture, svg);
console.error(`${picture}: ${frames.length} frames, ${Math.round(svg.length / 1000)} kB`);
