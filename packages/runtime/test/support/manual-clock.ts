/** The testing kit's clock. Not by its front door: unit tests need none of the rest. */
export { ManualClock, settled } from '@kurator/testenv/clock';
