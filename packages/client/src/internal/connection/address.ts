/** Where a connection leads. */
export interface Address {
  readonly host: string;
  readonly port: number;
}
