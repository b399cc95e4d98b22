/** Starts echo-process.ts, and knows what it prints. */
import { type Program, startProgram } from './program.ts';

/** What the process is told. */
export interface EchoProcessOptions {
  /** The namespace whose Echoes it cares for. */
  readonly namespace: string;
  /** Where it keeps what is not in Kubernetes. */
  readonly folder: string;
  /** Where it kills itself; never unless given. */
  readonly death?: Death | undefined;
}

/** Its own end: at the step of this number, counted from 1. */
export interface Death {
  readonly when: 'before' | 'while' | 'after';
  readonly step: number;
}

export interface EchoProgram extends Program {
  /** What it has begun to do so far. */
  steps(): string[];
  /** The messages of its log so far. */
  messages(): string[];
  /** What its HTTP server says. */
  ask(path: string): Promise<{ status: number; text: string }>;
}

/**
 * @param signal kills it
 * @param kubeconfig of the server; that which all tests share unless given
 */
export function startEchoProgram(options: EchoProcessOptions, signal: AbortSignal, kubeconfig?: string): EchoProgram {
  const env = kubeconfig ? { KURATOR_TEST_KUBECONFIG: kubeconfig } : {};
  const program = startProgram('echo-process', [JSON.stringify(options)], signal, env);
  const texts = (field: string) => program.lines.flatMap((line) => (field in line ? [String(line[field])] : []));
  return {
    ...program,
    steps: () => texts('step'),
    messages: () => texts('message'),
    async ask(path) {
      const answer = await fetch(`${texts('url')[0]}${path}`);
      return { status: answer.status, text: await answer.text() };
    },
  };
}
