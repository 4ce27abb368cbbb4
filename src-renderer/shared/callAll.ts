/** Calls each function, for example all that end a subscription. */
export function callAll(functions: readonly (() => void)[]): void {
  for (const each of functions) each()
}
