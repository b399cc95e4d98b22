/** Looks again whenever asked to, one look at a time; many requests during a look become one further look. */
export interface Looks {
  request(): void;
  /** No further look begins; resolves when the last one has ended. */
  end(): Promise<void>;
}

export interface LooksOptions {
  look(): Promise<void>;
  /** Called after a look that failed; another one follows by itself. */
  failed(error: unknown): void;
  /** Milliseconds until the next look after one that failed; 1 s unless told. */
  retryDelay?: number;
}

// A burst of changes, such as the first events of a watch, should cost one look.
const GATHER = 20;

export function createLooks({ look, failed, retryDelay = 1_000 }: LooksOptions): Looks {
  let ended = false;
  let wanted = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function request(delay = GATHER): void {
    wanted = true;
    if (ended || running || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      running = run();
    }, delay);
  }

  async function run(): Promise<void> {
    wanted = false;
    const succeeded = await look().then(
      () => true,
      (error: unknown) => {
        failed(error);
        return false;
      },
    );
    running = undefined;
    if (!succeeded) request(retryDelay);
    else if (wanted) request();
  }

  return {
    request: () => request(),
    async end() {
      ended = true;
      clearTimeout(timer);
      await running;
    },
  };
}
