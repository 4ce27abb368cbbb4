/** Formats a duration in ms: `0.2 ms`, `41 ms`, `2.41 s`, `12.4 s`, `2 min 05 s`. */
export function showMs(ms: number): string {
  if (ms < 0.05) return '< 0.1 ms'
  if (ms < 1) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
  return `${Math.floor(whole / 3_600)} h ${String(Math.floor((whole % 3_600) / 60)).padStart(2, '0')} min`
}
