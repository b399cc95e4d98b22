/** How a figure grows. */

/** One measurement: `y` at `x`. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The growth of y for each further x, by least squares; NaN where all points share one x. */
export function slope(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const meanX = mean(({ x }) => x);
  const meanY = mean(({ y }) => y);
  const covariance = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}

/** Whether something that should stay as it is does so. */
export interface Growth {
  readonly verdict: 'flat' | 'growing';
  /** For each further x. */
  readonly slope: number;
  /** What the trend adds between the first and the last point, as a share of the typical value. */
  readonly share: number;
}

/** Growing is what, by its trend, adds more than `tolerance` (a share, 0.05 is 5 %) while it was looked at. */
export function growthOf(points: readonly Point[], tolerance = 0.05): Growth {
  const rise = slope(points);
  const span = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0);
  const typical = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  const share = (rise * span) / typical;
  return { verdict: share > tolerance ? 'growing' : 'flat', slope: rise, share };
}
