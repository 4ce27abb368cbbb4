import { useTranslation } from 'react-i18next'
import { showCalendarDate, showFull } from '../../i18n/format.ts'

/** An instant that names its zone is shown on the person's clock; a bare date, or anything else, as it was written. */
export function useStamp(): (written: string) => string {
  // Shown again in another language.
  useTranslation()
  return stamp
}

export function stamp(written: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(written)) return showCalendarDate(written)
  return /[Zz]$|[+-]\d{2}:?\d{2}$/.test(written) ? showFull(written) : written
}
