/** What may happen in a simulated cluster. */
export type MachineEvent =
  | 'read'
  | 'act'
  | 'half-act'
  | 'renew'
  | 'sync'
  | 'open'
  | 'deliver'
  | 'gives-up'
  | 'connect'
  | 'stream-one'
  | 'stream'
  | 'hear'
  | 'write'
  | 'commit'
  | 'postgres-dies'
  | 'brain-crashes'
  | 'machine-crashes'
  | 'brain-pauses'
  | 'postgres-freezes'
  | 'machine-pauses'
  | 'thaws'
  | 'loses-volume';
export type PairEvent = 'ask' | 'grant' | 'grant-unheard';
export type CoordinatorEvent =
  | 'look'
  | 'decide'
  | 'decide-impatient'
  | 'told'
  | 'coordinator-gives-up'
  | 'coordinator-crashes';
export type Event =
  | { readonly is: MachineEvent; readonly at: string }
  | { readonly is: PairEvent; readonly at: string; readonly to: string }
  | { readonly is: 'freeze'; readonly at: string; readonly epoch: number }
  | { readonly is: 'switch'; readonly to: string | undefined }
  | { readonly is: 'cut'; readonly at: string; readonly to: string }
  | { readonly is: 'tick'; readonly still: readonly string[] }
  | { readonly is: CoordinatorEvent | 'heal' | 'api-down' | 'api-up' | 'late-write' };
