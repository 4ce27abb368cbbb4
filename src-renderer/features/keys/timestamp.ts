import { useTranslation } from 'react-i18next'
import { showCalendarDate, showFull } from '../../i18n/format.ts'

/** Formats an instant that has a time zone in local time. Returns other text, such as a date, unchanged. */
export function useStamp(): (written: string) => string {
  // Subscribes to language changes.
  useTranslation()
  return stamp
}

export function stamp(written: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(written)) return showCalendarDate(written)
  return /[Zz]$|[+-]\d{2}:?\d{2}$/.test(written) ? showFull(written) : written
}
