import { beforeAll, describe, expect, it } from 'vitest'
import { alertText } from '../../../../src-main/core/features/alerts/messages.ts'
import type { Alert, Alerts } from '../../../../src-preload/contract/alerts.ts'
import { parseAmount, parseShare } from '../../../../src-renderer/features/settings/parse.ts'
import { en } from '../../../../src-renderer/i18n/en.ts'
import { createWords } from '../../../../src-renderer/i18n/host.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import { alertOf, alertTexts, linkText } from '../../../../src-renderer/shared/alerts/messages.ts'
import { firstAlerts, holding, isGrave, withAlerts } from '../../../../src-renderer/stores/alerts.ts'
import { everyKind, startAlerts } from '../../harness/alerts.ts'

const words = createWords()
beforeAll(() => i18n.init({ lng: 'en', resources: { en }, initAsync: false }))

const reported = (...alerts: Alert[]): Alerts => ({ ...startAlerts('none', false), alerts })
const alert = (at: number, endedAt: string | null = null): Alert => ({
  id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  at: '2026-11-21T12:00:00.000Z',
  endedAt,
  place: { page: 'usage', id: null },
  facts: everyKind[0]?.facts ?? { kind: 'ban', account: { id: 'b', name: 'b' }, until: null },
})

describe('the list of alerts', () => {
  it('treats alerts of the first event as old, and later ones as news, once, also after a lost connection', () => {
    const first = withAlerts(firstAlerts, reported(alert(1)))
    expect([first.news, holding(first)]).toEqual([[], 1])
    const second = withAlerts(first, reported(alert(2), alert(1)))
    expect([second.news.map(({ id }) => id), holding(second)]).toEqual([[alert(2).id], 2])
    const again = withAlerts(second, reported(alert(2), alert(1)))
    expect(again.news).toHaveLength(1)
    // The alert began and ended while the connection was lost: nobody is notified.
    const late = withAlerts(again, reported(alert(3, '2026-11-21T13:00:00.000Z'), alert(2), alert(1)))
    expect([late.news.length, holding(late)]).toEqual([1, 2])
  })

  it('has a text and a link for each kind, and the window and the notification say the same', () => {
    for (const { facts, place } of everyKind) {
      const { title, body } = alertTexts(facts)
      expect(`${title} ${body} ${linkText(place)}`).not.toMatch(/\{\{|undefined|NaN|alerts:|\b(key|ban|budget|go)\.\w/)
      const notice = alertText(facts, words)
      expect(notice.title.length * notice.body.length).toBeGreaterThan(0)
      // Notifications never contain a service's texts, because they may support markup.
      expect(`${notice.title}${notice.body}`).not.toContain('everyday')
      expect(notice.body).not.toMatch(/[<>&]/)
    }
    expect(everyKind.map(({ facts }) => alertTexts(facts).title)).toMatchInlineSnapshot(`
      [
        "Balance below 10.00 SC",
        "More than 5.00 SC spent in a day",
        "my-editor: budget nearly used up",
        "batch <b>job</b>: budget used up",
        "notebook: not enough budget left for another request",
        "notebook: not enough budget left for another request",
        "my-editor: token limit too low",
        "my-editor lost the cache 3 turns in a row",
        "my-editor is paused",
        "The API key’s balance is low",
        "The API key’s balance is used up",
        "The API key was revoked",
        "The service rejected the API key",
        "Credits are used up",
        "The service denied access",
        "The service blocks requests",
        "The service blocks requests",
      ]
    `)
  })

  it('shows hidden characters in names from outside', () => {
    const hostile = 'a\u202Egnp.exe\u0007'
    const key = everyKind.find(({ facts }) => facts.kind === 'key')?.facts
    const budget = everyKind.find(({ facts }) => facts.kind === 'budget')?.facts
    if (key?.kind !== 'key' || budget?.kind !== 'budget') throw new Error('There is one of each.')
    expect(alertOf({ ...key, name: hostile })[0]).toBe('Key: a\\u{202E}gnp.exe\\u{0007}')
    const named = { ...budget, tool: { id: 'x', name: hostile } }
    expect(alertTexts(named).title).toContain('a\\u{202E}gnp.exe\\u{0007}')
    expect(alertText(named, words).title).toMatch(/^a gnp\.exe: /)
  })

  it('says of an app that asks at its budget that its requests wait, not that they are refused', () => {
    const used = everyKind.map(({ facts }) => facts).find((facts) => facts.kind === 'budget' && facts.usedUp)
    if (used?.kind !== 'budget') throw new Error('There is one.')
    expect(alertTexts(used).body).toContain(en.alerts.budget.refused)
    const asks = { ...used, asks: true }
    expect(alertTexts(asks).body).toContain(en.alerts.budget.asks)
    expect(isGrave({ ...alert(1), facts: asks })).toBe(false)
  })

  it('uses red for alerts that stop work', () => {
    const grave = everyKind.filter(({ facts, place }) => isGrave({ ...alert(1), facts, place }))
    expect(grave.map(({ facts }) => (facts.kind === 'key' ? facts.why : facts.kind))).toEqual([
      'budget',
      'budget',
      'tokens',
      'empty',
      'revoked',
      'refused',
      'credits',
      'forbidden',
      'ban',
      'ban',
    ])
  })
})

describe('a typed threshold', () => {
  it('is an exact amount above zero, empty, or invalid', () => {
    const amounts = { '10': '10', ' 2.50 ': '2.5', '0,25': '0.25', '007': '7', '.5': '0.5', '3.': '3', '': null }
    for (const [typed, amount] of Object.entries(amounts)) expect(parseAmount(typed)).toBe(amount)
    for (const typed of ['0', '0.0', '-1', '1e3', '1,0,5', 'ten', '1.0000000001', '1234567890123', '.', ','])
      expect(parseAmount(typed), typed).toBeUndefined()
  })
  it('is a share of 1 to 99 per cent', () => {
    expect(['1', '80', '99', '80 %', ' 5% '].map(parseShare)).toEqual([1, 80, 99, 80, 5])
    for (const typed of ['0', '100', '7.5', '-5', '', 'half']) expect(parseShare(typed), typed).toBeNull()
  })
})
