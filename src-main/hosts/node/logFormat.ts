import { fstatSync } from 'node:fs'

export type LogLevel = 'info' | 'warn' | 'error'

/** `json`: each event is one JSON document with `time`, `level` and `message`. */
export type LogFormat = 'text' | 'json'

/** Priorities of syslog, which journald reads at the start of a line (sd-daemon(3)). */
const priorities: Record<LogLevel, number> = { info: 6, warn: 4, error: 3 }

let format: LogFormat = 'text'

/** Sets the format of the log for this process. */
export function setLogFormat(wanted: LogFormat): void {
  format = wanted
}

/**
 * One event of the log as one line with a line feed.
 * @param words one line without control characters
 * @param shown the words with their level, where no program reads the line
 */
export function logLine(
  level: LogLevel,
  words: string,
  shown = `${level === 'info' ? '' : `${level}: `}${words}`,
): string {
  if (format === 'json') return `${JSON.stringify({ time: new Date().toISOString(), level, message: words })}\n`
  if (goesToJournal(2)) return `<${priorities[level]}>${words}\n`
  return `${shown}\n`
}

/** Whether a descriptor is connected to the journal of systemd. systemd sets `JOURNAL_STREAM` to the device and inode (systemd.exec(5)). */
export function goesToJournal(descriptor: number): boolean {
  const stream = process.env.JOURNAL_STREAM
  if (stream === undefined) return false
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true })
    return stream === `${dev}:${ino}`
  } catch {
    return false
  }
}
