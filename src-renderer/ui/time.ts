const dateTime = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** A UTC instant as the person's own clock has it, such as "21 Nov, 14:02". What can't be read is shown as it is. */
export function showInstant(instant: string): string {
  const at = new Date(instant)
  return Number.isNaN(at.getTime()) ? instant : dateTime.format(at)
}
