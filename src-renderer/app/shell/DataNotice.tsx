import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { problemOf } from '../../api/problem.ts'
import { asSentence, joinSentences, showFull, showList } from '../../i18n/format.ts'
import { ConnectForm } from '../../shared/connect/ConnectForm.tsx'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { navigate } from '../../shared/navigation.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { plainText } from '../../shared/ui/plainText.ts'
import { useCall } from '../../shared/useCall.ts'
import { WithTexts } from '../../shared/WithTexts.tsx'
import { useApp } from '../../stores/app.ts'
import { unreadDamage, useData } from '../../stores/data.ts'
import { useRoute } from '../../stores/route.ts'

/** Shown on every page while the databases refuse writes. Disappears when writes work again. */
export function StorageNotice() {
  const { t } = useTranslation(['problems', 'common'])
  const studio = useStudio()
  const { busy, run } = useCall()
  const problem = useApp(({ app }) => app?.storage ?? null)
  if (!problem) return null
  const check = (): void =>
    run(() =>
      studio.app
        .checkStorage()
        .catch((thrown: unknown) => showToast({ id: 'storage', text: problemOf(thrown).message })),
    )
  return (
    <div className="border-line border-b p-2">
      <ProblemNotice
        problem={problem}
        noAction
        title={t('storage.title')}
        meaning={joinSentences([
          asSentence(t(`kinds.${problem.kind}.title`)),
          t(`kinds.${problem.kind}.meaning`),
          t('storage.meaning'),
        ])}
      >
        <Button size="small" busy={busy} onClick={check}>
          {t('storage.action')}
        </Button>
      </ProblemNotice>
    </div>
  )
}

/**
 * Shown on every page until dismissed: damage found at start-up, or the result of a restore. Settings shows both permanently. Its texts are
 * those of Settings, so only its children ask for them, when they are loaded.
 */
export function DataNotice() {
  const studio = useStudio()
  const { page } = useRoute()
  // One string for all items: a selector that returns a new array each time would render endlessly.
  const damaged = useData((store) =>
    unreadDamage(store)
      .map(({ database }) => `${database}.sqlite`)
      .join('\n'),
  )
  const restored = useData(({ data }) => (data?.restored && !data.restored.acknowledged ? data.restored : null))
  if (page === 'settings' || (damaged === '' && !restored)) return null
  const read = (id: string) =>
    studio.data.acknowledge({ id }).catch((thrown: unknown) => {
      showToast({ id: 'data', text: problemOf(thrown).message })
    })
  return (
    <WithTexts of={['settings']}>
      <div className="flex flex-col gap-2 border-line border-b p-2">
        {damaged !== '' && <Damaged files={damaged.split('\n')} />}
        {restored && <Restored at={restored.summary.madeAt} onDismiss={() => void read(restored.id)} />}
      </div>
    </WithTexts>
  )
}

function Damaged({ files }: { files: readonly string[] }) {
  const { t } = useTranslation('data')
  return (
    <Notice
      kind="warn"
      role="status"
      title={t('damage.noticeTitle')}
      action={{ label: t('damage.open'), onClick: () => navigate({ page: 'settings', id: 'data' }) }}
    >
      {t('damage.notice', { files: showList(files) })}
    </Notice>
  )
}

/** The result of a restore. Asks for the key of the connection in use if it was stored for the former session only. */
function Restored({ at, onDismiss }: { at: string; onDismiss: () => void }) {
  const { t } = useTranslation(['data', 'settings'])
  const [asking, setAsking] = useState(false)
  const active = useApp(({ app }) => app?.profiles.find((profile) => profile.active) ?? null)
  const keyless = active?.keyKept === 'none' ? active : null
  return (
    <Notice
      kind={keyless ? 'warn' : 'info'}
      role="status"
      title={t('restored.title')}
      action={
        keyless
          ? { label: t('settings:connection.enterKey'), onClick: () => setAsking(true) }
          : { label: t('dismiss'), onClick: onDismiss }
      }
    >
      {joinSentences([
        t('restored.notice', { at: showFull(at) }),
        keyless && t('restored.key', { name: plainText(keyless.name) }),
      ])}
      <Dialog
        open={asking && keyless !== null}
        onClose={() => setAsking(false)}
        title={t('settings:connection.enterKeyOf', { name: keyless?.name ?? '' })}
        about={t('settings:connection.changeAbout')}
        stayOnOutsideClick
      >
        {keyless && (
          <ConnectForm profile={keyless} onConnected={() => setAsking(false)} onCancel={() => setAsking(false)} />
        )}
      </Dialog>
    </Notice>
  )
}
