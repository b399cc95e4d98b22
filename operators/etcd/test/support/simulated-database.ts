/**
 * etcd as its operator sees it, without etcd: who is listed, who leads, and what is refused. It refuses what etcd refuses by default:
 * an addition while a voter is away, a second learner, a removal that would leave no quorum.
 */
import type { Question, Said } from './grpc-server.ts';

interface Member {
  readonly id: string;
  readonly peerUrl: string;
  isLearner: boolean;
}

/** As gRPC counts them. */
const FAILED_PRECONDITION = 9;
const UNAVAILABLE = 14;
const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

const ok = (fields: object = {}): Said => ({ fields });
const refused = (code: number, message: string): Said => ({ code, message });

type Fields = Readonly<Record<string, unknown>>;

/** One cluster. Its members are known by their hosts, which their peer URLs name. */
export class SimulatedDatabase {
  #members: Member[] = [];
  #leader: Member | undefined;
  #ids = 1;
  /** Versions of the processes that run, by host. */
  readonly #running = new Map<string, string>();

  /** A process begins. The first one of a new cluster is its first member. */
  start(peerUrl: string, version: string, isNew: boolean): void {
    if (isNew && this.#members.length === 0) this.#join(peerUrl, false);
    this.#running.set(new URL(peerUrl).hostname, version);
    this.#elect();
  }

  stop(host: string): void {
    this.#running.delete(host);
    this.#elect();
  }

  /** What this member says to a question. */
  ask(host: string, question: Question, body: Fields): Said {
    const self = this.#members.find(({ peerUrl }) => new URL(peerUrl).hostname === host);
    if (!self || !this.#running.has(host)) return refused(UNAVAILABLE, 'etcdserver: server stopped');
    if (question === 'status') return ok(this.#statusOf(self, host));
    if (!this.#leader) return refused(UNAVAILABLE, 'etcdserver: no leader');
    const answer = this.#answers[question];
    return answer ? answer(body) : refused(UNIMPLEMENTED, `${question} is not simulated`);
  }

  readonly #answers: Readonly<Partial<Record<Question, (body: Fields) => Said>>> = {
    members: () =>
      ok({ members: this.#members.map(({ id, peerUrl, isLearner }) => ({ id, peerUrls: [peerUrl], isLearner })) }),
    addMember: ({ peerUrls }) => {
      if (this.#members.some(({ isLearner }) => isLearner)) {
        return refused(FAILED_PRECONDITION, 'etcdserver: too many learner members in cluster');
      }
      if (!this.#voters().every((member) => this.#runs(member))) {
        return refused(UNAVAILABLE, 'etcdserver: unhealthy cluster');
      }
      this.#join((peerUrls as string[])[0] ?? '', true);
      return ok();
    },
    promoteMember: (asked) => {
      const member = this.#byId(asked.id);
      if (!member) return refused(NOT_FOUND, 'etcdserver: member not found');
      if (!member.isLearner || !this.#runs(member)) {
        return refused(
          FAILED_PRECONDITION,
          'etcdserver: can only promote a learner member which is in sync with leader',
        );
      }
      member.isLearner = false;
      return ok();
    },
    removeMember: (asked) => {
      const rest = this.#members.filter(({ id }) => id !== asked.id);
      if (rest.length === this.#members.length) return refused(NOT_FOUND, 'etcdserver: member not found');
      const voters = rest.filter(({ isLearner }) => !isLearner);
      if (voters.filter((member) => this.#runs(member)).length <= voters.length / 2) {
        return refused(UNAVAILABLE, 'etcdserver: re-configuration failed due to not enough started members');
      }
      this.#members = rest;
      this.#elect();
      return ok();
    },
    moveLeader: ({ target }) => {
      const member = this.#byId(target);
      if (!member || member.isLearner || !this.#runs(member)) {
        return refused(FAILED_PRECONDITION, 'etcdserver: bad leader transferee');
      }
      this.#leader = member;
      return ok();
    },
    grantLease: () => ok({ id: '1' }),
    revokeLease: () => ok(),
    alarm: () => ok(),
  };

  #statusOf({ id, isLearner }: Member, host: string): object {
    const header = { clusterId: '77', memberId: id, revision: 1 };
    const leader = this.#leader?.id ?? '0';
    const learner = isLearner ? { isLearner } : {};
    return { header, leader, version: this.#running.get(host), dbSize: 20_480, ...learner };
  }

  #join(peerUrl: string, isLearner: boolean): void {
    this.#ids += 1;
    this.#members.push({ id: this.#ids.toString(16), peerUrl, isLearner });
  }

  #byId(id: unknown): Member | undefined {
    return this.#members.find((member) => member.id === id);
  }

  #voters(): Member[] {
    return this.#members.filter(({ isLearner }) => !isLearner);
  }

  #runs({ peerUrl }: Member): boolean {
    return this.#running.has(new URL(peerUrl).hostname);
  }

  /** Who leads goes on with that; nobody does without quorum. */
  #elect(): void {
    const voters = this.#voters();
    const there = voters.filter((member) => this.#runs(member));
    const isQuorum = there.length > voters.length / 2;
    if (!isQuorum) this.#leader = undefined;
    else if (!this.#leader || !there.includes(this.#leader)) this.#leader = there[0];
  }
}
