import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Counts, Damage, SetAside } from '../../../src-preload/contract/data.ts'
import { problemOf } from '../../api/problem.ts'
import { showFull, showNames, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { Facts } from '../../shared/ui/Facts.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { useCall } from '../../shared/useCall.ts'
import { useData } from '../../stores/data.ts'
import { Group, Row } from './Group.tsx'
import { Path } from './Path.tsx'

/** Damage and restores, until dismissed, and the files that were set aside. */
export function DataAside() {
  const data = useData((store) => store.data)
  const studio = useStudio()
  const { t } = useTranslation('data')
  if (!data) return null
  const unread = data.damage.filter(({ acknowledged }) => !acknowledged)
  const restored = data.restored && !data.restored.acknowledged ? data.restored : null
  const read = (id: string) =>
    void studio.data
      .acknowledge({ id })
      .catch((thrown: unknown) => showToast({ id: 'data', text: problemOf(thrown).message }))
  return (
    <>
      {data.problem && <ProblemNotice problem={data.problem} noAction />}
      {restored && (
        <Notice
          kind="good"
          role="status"
          title={t('restored.title')}
          action={{ label: t('dismiss'), onClick: () => read(restored.id) }}
        >
          {t('restored.notice', { at: showFull(restored.summary.madeAt) })}{' '}
          {restored.keptAt !== null && (
            <>
              {t('restored.kept')} <Path path={restored.keptAt} />
            </>
          )}
        </Notice>
      )}
      {unread.map((one) => (
        <DamageNotice key={one.id} damage={one} onRead={() => read(one.id)} />
      ))}
      {data.setAside.length > 0 && <Aside aside={data.setAside} />}
    </>
  )
}

/** What was recovered, what is missing, and where the damaged file is. */
function DamageNotice({ damage, onRead }: { damage: Damage; onRead: () => void }) {
  const { t } = useTranslation('data')
  const words = (counts: Counts): string =>
    showNames(counts.map(({ thing, count }) => t(`countOf.${thing}`, { count })))
  const lost = damage.lost.map(({ thing, count }) =>
    count === null ? t('damage.some', { thing: t(`dataName.${thing}`) }) : t(`countOf.${thing}`, { count }),
  )
  return (
    <Notice
      kind="warn"
      title={t('damage.one', { file: `${damage.database}.sqlite` })}
      action={{ label: t('dismiss'), onClick: onRead }}
    >
      <ul className="flex flex-col gap-0.5">
        <li>{t('damage.when', { at: showFull(damage.at), why: damage.why })}</li>
        <li>
          {damage.recovered.length === 0
            ? t('damage.recoveredNone')
            : t('damage.recovered', { things: words(damage.recovered) })}
        </li>
        <li className="font-[540]">
          {lost.length === 0 ? t('damage.lostNone') : t('damage.lost', { things: showNames(lost) })}
        </li>
        {damage.mended.length > 0 && <li>{t('damage.mended', { things: words(damage.mended) })}</li>}
        {damage.mediaSetAside > 0 && <li>{t('damage.media', { count: damage.mediaSetAside })}</li>}
        <li>
          {t('damage.kept')} <Path path={damage.keptAt} /> <CopyButton text={damage.keptAt} name={t('damage.copy')} />
        </li>
      </ul>
    </Notice>
  )
}

function Aside({ aside }: { aside: readonly SetAside[] }) {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const [asked, setAsked] = useState<SetAside | null>(null)
  const { busy, run } = useCall()
  const erase = (name: string) =>
    run(() =>
      studio.data
        .deleteSetAside({ name })
        .catch((thrown: unknown) => showToast({ id: 'aside', text: problemOf(thrown).message }))
        .finally(() => setAsked(null)),
    )
  return (
    <Group title={t('aside.title')} about={t('aside.about')}>
      {aside.map((one) => (
        <Row
          key={one.name}
          name={t(`aside.${one.kind}`, { at: showFull(one.at) })}
          hint={
            <Facts>
              {showSize(one.bytes)}
              <Path path={one.path} />
            </Facts>
          }
        >
          <CopyButton text={one.path} name={t('aside.copy', { name: one.name })} />
          <Button variant="danger" onClick={() => setAsked(one)}>
            {t('aside.erase')}
          </Button>
        </Row>
      ))}
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={t('aside.askTitle')}
        about={t('aside.askAbout', { size: showSize(asked?.bytes ?? 0) })}
        confirm={t('aside.confirm')}
        busy={busy}
        onConfirm={() => {
          if (asked) erase(asked.name)
        }}
      />
    </Group>
  )
}
