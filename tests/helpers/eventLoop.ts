/** Counts the turns of the event loop, as evidence that nothing blocks it. The returned function stops and returns the count. */
export function countTurns(): () => number {
  let turns = 0
  let stopped = false
  const turn = (): void => {
    turns += 1
    if (!stopped) setImmediate(turn)
  }
  turn()
  return () => {
    stopped = true
    return turns
  }
}
