/** Objects as lines of a table, all at once or as they change; or as data, for programs. */
import type { KubernetesObject, ResourceType } from '@kurator/client';
import { type ActionContext, columnWidths, Interrupted, safeLine, table } from '@kurator/command';
import { bare, isForPrograms, type OutputOptions, type Reached, resourceName, serialised } from '@kurator/command/kube';
import { toneOf } from './tones.ts';
import { watchAll } from './watching.ts';

/** Which columns there are. */
export interface Columns {
  readonly namespace: boolean;
  readonly wide: boolean;
}

/** How objects of a kind are shown. */
export interface View<T> {
  readonly headings: readonly string[];
  /** The column whose words have colours. */
  readonly toned: string;
  /** What is missing or empty is shown as a dash. */
  row(object: T, now: number): (string | undefined)[];
}

type Screen = ActionContext['screen'];

/** All of them, under headings. */
export function viewText<T>(view: View<T>, objects: readonly T[], screen: Screen, now = Date.now()): string {
  return tableText(view, rowsOf(view, objects, now), { screen });
}

function rowsOf<T>(view: View<T>, objects: readonly T[], now: number): string[][] {
  return objects.map((object) => view.row(object, now).map((cell) => (cell ? safeLine(cell) : '-')));
}

function tableText<T>({ headings, toned }: View<T>, rows: string[][], options: Parameters<typeof table>[2]): string {
  const column = headings.indexOf(toned);
  return table(headings, rows, { ...options, tone: (index, cell) => (index === column ? toneOf(cell) : undefined) });
}

/** What is watched, and how it is shown. */
export interface Watch<T extends KubernetesObject> extends Reached {
  readonly type: ResourceType<T>;
  readonly view: View<T>;
  readonly options: OutputOptions;
  readonly labelSelector?: string | undefined;
  isMeant(object: T): boolean;
}

/** As kubectl does it: all of them, then a line for each change that shows. Ctrl-C is how it ends. */
export async function watchView<T extends KubernetesObject>(context: ActionContext, watch: Watch<T>): Promise<number> {
  const { signal } = context;
  const { client, type, namespace, labelSelector, isMeant } = watch;
  const isNews = newsFilter(watch);
  // Printed one after the other, in the order in which they came.
  let printing = Promise.resolve();
  const printer = printerFor(context, watch);
  const show = (objects: readonly T[]) => {
    printing = printing.then(() => printer(objects));
  };
  try {
    return await watchAll({
      client,
      type,
      namespace,
      labelSelector,
      signal,
      onAll: (all) => show(all.filter((one) => isMeant(one) && isNews(one))),
      onChange: (one) => isMeant(one) && isNews(one) && show([one]),
    });
  } catch (error) {
    await printing;
    if (signal.reason instanceof Interrupted) return 0;
    throw error;
  }
}

/** Whether it shows anything else than the last time; ages grow without a change. */
function newsFilter<T extends KubernetesObject>({ view, options }: Watch<T>): (object: T) => boolean {
  const shown = new Map<string | undefined, string>();
  return (object) => {
    const key = JSON.stringify(isForPrograms(options) ? object : view.row(object, 0));
    const isNew = shown.get(object.metadata.uid) !== key;
    shown.set(object.metadata.uid, key);
    return isNew;
  };
}

type Printer<T> = (objects: readonly T[]) => Promise<void>;

function printerFor<T extends KubernetesObject>(context: ActionContext, watch: Watch<T>): Printer<T> {
  if (isForPrograms(watch.options)) return documentPrinter(context, watch);
  if (watch.options.output !== 'name') return linePrinter(context, watch);
  return async (objects) => objects.forEach((one) => void context.print(resourceName(watch.type, one)));
}

function linePrinter<T extends KubernetesObject>({ print, screen }: ActionContext, { view }: Watch<T>): Printer<T> {
  let widths: number[] | undefined;
  return async (objects) => {
    const rows = rowsOf(view, objects, Date.now());
    const headings = widths === undefined;
    // They never shrink, so that lines stay under each other.
    const before = widths ?? [];
    widths = columnWidths(view.headings, rows).map((width, column) => Math.max(width, before[column] ?? 0));
    print(tableText(view, rows, { screen, widths, headings }));
  };
}

/** A line of JSON, or a document of YAML, for each. */
function documentPrinter<T extends KubernetesObject>(
  { print, screen }: ActionContext,
  { options }: Watch<T>,
): Printer<T> {
  return async (objects) => {
    for (const object of objects) {
      const text = await serialised(bare(object), options, screen);
      // Line breaks within texts are escaped: those that are left are between fields.
      print(options.output === 'json' ? text.replaceAll(/\n */g, '') : `---\n${text}`);
    }
  };
}
