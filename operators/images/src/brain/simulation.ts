/** One workload and one registry that live through anything, with the decisions of this folder between them. For tests. */
import { choose } from './choose.ts';
import { type Decision, decide, type Sight, type Situation, type Verdict } from './decide.ts';
import { digestOf, tagOf } from './image-text.ts';
import { type Memory, nothing } from './memory.ts';
import type { Policy } from './policy.ts';

/** What may happen next. Numbers choose among what there is at that time. */
export type Happening =
  | { readonly what: 'push'; readonly minor: number; readonly bad: boolean }
  | { readonly what: 'move'; readonly which: number; readonly bad: boolean }
  | { readonly what: 'list'; readonly as: 'whole' | 'truncated' | 'empty' | 'reversed' | 'down'; readonly keep: number }
  | { readonly what: 'edit'; readonly which: number; readonly pinned: boolean }
  | { readonly what: 'back' }
  | { readonly what: 'resume' }
  | { readonly what: 'lift'; readonly which: number }
  | { readonly what: 'pods'; readonly are: 'quick' | 'slow' }
  | { readonly what: 'broken' }
  /** The operator dies in the next pass: before it writes, after it wrote into the workload, or never. */
  | { readonly what: 'pass'; readonly dies: 'no' | 'before' | 'after'; readonly later: number };

/** What a write did. */
export interface Write {
  readonly from: string;
  readonly to: string;
  /** As the status had it when the write was made. */
  readonly remembered: Memory;
}

/** How long a pod of a good image takes at most; longer than the patience of `slow` ones lasts. */
const DEADLINE = 60_000;

export class Simulation {
  now = 1_700_000_000_000;
  image = 'demo/web:1.0.0';
  memory: Memory = nothing;
  readonly writes: Write[] = [];
  readonly decisions: Decision[] = [];
  /** The last few images that were there, newest last. */
  readonly past: string[] = [];
  readonly tags = new Map<string, string>([['1.0.0', 'sha256:0']]);
  readonly #bad = new Set<string>();
  readonly #policy: Policy;
  readonly #gates: Situation['gates'];
  #list: Extract<Happening, { what: 'list' }> = { what: 'list', as: 'whole', keep: 0 };
  #arePodsQuick = true;
  #digests = 0;
  #resume = 0;
  #lift: string | undefined;

  constructor(policy: Policy, maturity = 0) {
    this.#policy = policy;
    this.#gates = { maturity, timeZone: 'UTC', windows: [], freezes: [], approval: 'Automatic' };
  }

  happen(happening: Happening): void {
    const tags = [...this.tags.keys()];
    switch (happening.what) {
      case 'push':
        this.#put(`1.${happening.minor}.0`, happening.bad);
        break;
      case 'move':
        this.#put(tags[happening.which % tags.length] ?? '', happening.bad);
        break;
      case 'list':
        this.#list = happening;
        break;
      case 'edit': {
        const tag = tags[happening.which % tags.length] ?? '';
        this.#set(happening.pinned ? `demo/web:${tag}@${this.tags.get(tag)}` : `demo/web:${tag}`);
        break;
      }
      case 'back':
        if (this.past.length > 0) this.#set(this.past.at(-1) ?? '');
        break;
      case 'resume':
        this.#resume++;
        break;
      case 'lift':
        this.#lift = this.memory.quarantine[happening.which % (this.memory.quarantine.length || 1)]?.digest;
        break;
      case 'pods':
        this.#arePodsQuick = happening.are === 'quick';
        break;
      case 'broken': {
        const digest = this.#running();
        if (digest) this.#bad.add(digest);
        break;
      }
      case 'pass':
        this.now += happening.later * 1000;
        this.pass(happening.dies);
    }
  }

  pass(dies: 'no' | 'before' | 'after' = 'no'): Decision {
    const decision = decide(this.#situation());
    this.decisions.push(decision);
    if (dies === 'before') return decision;
    const { write } = decision;
    // As the API server does it: only where that is still there.
    if (write && write.from === this.image) {
      this.writes.push({ ...write, remembered: this.memory });
      this.#set(write.to);
    }
    if (dies === 'no') this.memory = decision.memory;
    return decision;
  }

  #situation(): Situation {
    const { memory, image, now } = this;
    const judged = memory.update && memory.update.stage !== 'Writing';
    return {
      now,
      policy: this.#policy,
      gates: this.#gates,
      judgement: { for: 10_000, deadline: DEADLINE },
      suspend: false,
      dryRun: false,
      image,
      runningDigest: this.#running(),
      sight: this.#sight(),
      verdict: judged ? this.#verdict() : undefined,
      leftovers: false,
      annotations: { resume: this.#resume ? String(this.#resume) : undefined, lift: this.#lift },
      memory,
    };
  }

  #verdict(): Verdict {
    if (this.#bad.has(this.#running() ?? '')) return { is: 'ill', why: 'it crashes' };
    return this.#arePodsQuick ? { is: 'well', why: 'ready' } : { is: 'unsettled', why: 'not ready yet' };
  }

  #sight(): Sight {
    const { as, keep } = this.#list;
    if (as === 'down') return { is: 'unknown', why: 'the registry is down' };
    const whole = [...this.tags.keys()];
    const lists: Record<typeof as, readonly string[]> = {
      whole,
      reversed: whole.toReversed(),
      empty: [],
      truncated: whole.slice(0, keep % whole.length),
    };
    const listed = lists[as];
    if (this.#policy.digest) {
      const { tag } = this.#policy.digest;
      const digest = listed.includes(tag) ? this.tags.get(tag) : undefined;
      return digest ? { is: 'known', newer: [{ tag, digest }] } : { is: 'unknown', why: 'no such tag' };
    }
    const choice = choose({ policy: this.#policy, running: tagOf(this.image), tags: listed });
    if (choice.is === 'unknown') return choice;
    return { is: 'known', newer: choice.newer.map((tag) => ({ tag, digest: this.tags.get(tag) ?? '' })) };
  }

  #running(): string | undefined {
    return digestOf(this.image) ?? this.tags.get(tagOf(this.image) ?? '');
  }

  #put(tag: string, bad: boolean): void {
    const digest = `sha256:${++this.#digests}`;
    this.tags.set(tag, digest);
    if (bad) this.#bad.add(digest);
  }

  #set(image: string): void {
    if (image === this.image) return;
    this.past.push(this.image);
    this.image = image;
  }
}
