import { showSc } from '../../../src-preload/contract/amountText.ts'
import { type AppQuestion, modelsOf } from '../../../src-preload/contract/questions.ts'
import { locale, showList } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { alertsStore } from '../../stores/alerts.ts'
import { questionsStore } from '../../stores/questions.ts'
import { browserNotices, showBrowserNotice } from '../alerts/browserNotifications.ts'
import { plainText } from '../ui/plainText.ts'

/**
 * Shows the number of open questions in the title of the window, and a notification of the browser for each new one, where a person has
 * switched them on and the host shows none itself. The notification closes with its question.
 */
export function followQuestions(): () => void {
  const { title } = document
  /** By question. Null where no notification was shown. */
  const shown = new Map<string, Notification | null>()
  return questionsStore.subscribe(({ questions }) => {
    document.title = questions.length === 0 ? title : `(${questions.length}) ${title}`
    const open = new Set(questions.map(({ id }) => id))
    for (const [id, notice] of shown) {
      if (open.has(id)) continue
      shown.delete(id)
      notice?.close()
    }
    const notifies = !alertsStore.getState().notifies && browserNotices() === 'on'
    for (const question of questions)
      if (!shown.has(question.id)) shown.set(question.id, notifies ? notify(question) : null)
  })
}

function notify(question: AppQuestion): Notification | null {
  const t = i18n.getFixedT(null, 'questions')
  const { app, cost, spentToday } = question
  const models = modelsOf(question).map(plainText)
  const sc = (amount: string): string => t('sc', { amount: showSc(amount, locale()) })
  const body = t('notice', {
    models: models.length === 0 ? t('noModel') : showList(models),
    cost: cost === null ? t('unknown') : sc(cost),
    today: sc(spentToday),
  })
  // The window has the question on every page. An app that asks and leaves again and again has one notification.
  return showBrowserNotice(t('asks', { app: plainText(app.name) }), body, `question.${app.id}`, () => undefined)
}
