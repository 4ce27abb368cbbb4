import type { Session } from 'electron'

type SpellingSession = Pick<
  Session,
  'setSpellCheckerEnabled' | 'setSpellCheckerLanguages' | 'availableSpellCheckerLanguages'
>

/**
 * Switches spell checking on or off. On Windows and Linux Chromium downloads its dictionaries from a server of Google, so it is off until
 * the person agrees. Without a language Chromium has nothing to download. macOS checks by itself, without a download.
 * @param preferred the person's languages, such as `de-AT`, the best first
 */
export function applySpelling(
  session: SpellingSession,
  isAllowed: boolean,
  preferred: readonly string[],
  platform: NodeJS.Platform = process.platform,
): void {
  if (platform === 'darwin') {
    session.setSpellCheckerEnabled(true)
    return
  }
  session.setSpellCheckerLanguages(isAllowed ? languagesOf(preferred, session.availableSpellCheckerLanguages) : [])
  session.setSpellCheckerEnabled(isAllowed)
}

/** The dictionaries for these languages: of the same region, else of the language. English if there is none. */
export function languagesOf(preferred: readonly string[], available: readonly string[]): string[] {
  const found = preferred.flatMap((wanted) => {
    const [language = ''] = wanted.split('-')
    const best = available.find((one) => one.toLowerCase() === wanted.toLowerCase())
    return (
      best ?? available.find((one) => one === language) ?? available.find((one) => one.startsWith(`${language}-`)) ?? []
    )
  })
  const unique = [...new Set(found)]
  return unique.length > 0 ? unique : available.filter((one) => one === 'en-US')
}
