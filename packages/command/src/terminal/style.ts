/** Colours, where they are wanted: on a terminal, and nowhere else. Pure. */
import { styleText } from 'node:util';

/** What can be said by colour. */
export type Tone = 'good' | 'busy' | 'bad' | 'dim' | 'bold';

/** Puts a text into a colour, or leaves it as it is. */
export type Paint = (tone: Tone | undefined, text: string) => string;

const formats = { good: 'green', busy: 'yellow', bad: 'red', dim: 'dim', bold: 'bold' } as const;

const coloured: Paint = (tone, text) => {
  if (!tone || text === '') return text;
  // Whether the stream shows colours was asked already, in screenOf().
  return styleText(formats[tone], text, { validateStream: false });
};

/** As it is. */
export const plain: Paint = (_tone, text) => text;

/** What is known of where results are printed. */
export interface Screen {
  /** Characters in a line; undefined where that doesn't matter: in a file, in a pipe. */
  readonly width: number | undefined;
  readonly paint: Paint;
}

/** What a stream can show. `NO_COLOR` with anything in it means none; see no-color.org. */
export function screenOf(
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  environment: NodeJS.ProcessEnv = process.env,
): Screen {
  const hasColours = isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
  return { width: isTTY ? columns || 80 : undefined, paint: hasColours ? coloured : plain };
}
