import { plain } from '@kurator/command';
import { describe, expect, it } from 'vitest';
import { legend, type Moment, markOf, matrix } from './matrix.ts';

const screen = { width: 80, paint: plain };

function moment(cart: string | undefined, lost = 0, ready = '3/3'): Moment {
  const front = { name: 'front', state: 'Healthy', ready: '2/2' };
  return { services: [front, { name: 'cart', state: cart, ready }], served: { answered: 100, lost } };
}

describe('the health matrix', () => {
  it('has a row for each service and a column for each second', () => {
    const moments = [moment('Healthy'), moment('Suspect'), moment('Degraded', 0, '2/3'), moment('Repairing', 0, '2/3')];
    expect(matrix(moments, screen)).toEqual([
      'SERVICE    HEALTH     WELL EACH SECOND',
      'front      Healthy    2/2  ●●●●',
      'cart       Repairing  2/3  ●◌◐◍',
      'customers  none lost        ▪▪▪',
    ]);
  });

  it('counts the requests that were lost in each second, and all together', () => {
    const rows = matrix([moment('Healthy'), moment('Down', 3), moment('Down', 3), moment('Down', 23)], screen);
    expect(rows.at(-1)).toBe('customers  23 lost          3▪+');
  });

  it('calls unknown what nobody has looked at yet', () => {
    expect(matrix([moment(undefined)], screen)[2]).toBe('cart       Unknown    3/3  ·');
  });

  it('never is wider than the terminal: what is older is left out', () => {
    const many = Array.from({ length: 500 }, (_, i) => moment(i < 490 ? 'Down' : 'Healthy'));
    const rows = matrix(many, { ...screen, width: 40 });
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(40);
    expect(rows[2]).toBe('cart       Healthy    3/3  ○●●●●●●●●●●');
  });

  it('shows nothing before there is anything to show', () => {
    expect(matrix([], screen)).toEqual([]);
  });

  it('explains every mark that it makes in a fault', () => {
    for (const state of ['Healthy', 'Suspect', 'Degraded', 'Repairing', 'Down'])
      expect(legend).toContain(markOf(state));
  });
});
