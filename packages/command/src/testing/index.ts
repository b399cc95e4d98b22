export { type FakeSession, fakeSession } from './fake-session.ts';
export { CTRL_C, ENTER, terminal } from './fake-terminal.ts';
