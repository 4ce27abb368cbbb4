/** `1:05`, `1:00:05`. As wide as `length` needs. */
export function clockOf(time: number, length = time): string {
  const whole = Math.max(0, Math.floor(time))
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const tail = String(seconds).padStart(2, '0')
  if (length >= 3600) return `${hours}:${String(minutes).padStart(2, '0')}:${tail}`
  return `${Math.floor(whole / 60)}:${tail}`
}

/** Hours, minutes and seconds for spoken text, without zeros. */
export function spanOf(time: number): { hours: number; minutes: number; seconds: number } {
  const whole = Math.max(0, Math.floor(time))
  return { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60, seconds: whole % 60 }
}
