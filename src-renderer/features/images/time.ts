/** Formats a duration in ms: `0.4 s`, `12.3 s`, `2 min 05 s`. */
export function showMs(ms: number): string {
  const seconds = ms / 1_000
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}
