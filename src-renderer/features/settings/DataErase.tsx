import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type DeletableKind, type DeletionPlan, deletableKinds } from '../../../src-preload/contract/retention.ts'
import { joinFacts, showCount, showFull, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { Checkbox, InlineField } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { useCall } from '../../shared/useCall.ts'
import { useData } from '../../stores/data.ts'
import { AmountTable } from './AmountTable.tsx'
import { DataProgress } from './DataProgress.tsx'
import { Group, Row } from './Group.tsx'
import { useSave } from './useSave.ts'

const ages = [7, 30, 90, 180, 365, 730] as const

interface Asked {
  plan: DeletionPlan
  days: number
  /** Whether to also enable automatic deletion by this rule. */
  rule: boolean
}

/** Deletion by age: choose, count, confirm. The deletion continues when this window is closed. */
export function DataErase({ logDays }: { logDays: number | null }) {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const save = useSave()
  const running = useData(({ erase }) => erase?.running ?? null)
  const [what, setWhat] = useState<readonly DeletableKind[]>(['log', 'bodies'])
  const [archivedOnly, setArchivedOnly] = useState(false)
  const [days, setDays] = useState('90')
  const [asked, setAsked] = useState<Asked | null>(null)
  const [nothing, setNothing] = useState(false)
  const { busy, problem, run } = useCall()

  const during = (work: () => Promise<void>): void => {
    setNothing(false)
    run(() =>
      work().catch((thrown: unknown) => {
        setAsked(null)
        throw thrown
      }),
    )
  }
  const look = () =>
    during(async () => {
      const olderThanDays = Number(days)
      const plan = await studio.retention.count({ what: [...what], olderThanDays, archivedOnly })
      if (plan.parts.some(({ items }) => items > 0)) setAsked({ plan, days: olderThanDays, rule: false })
      else setNothing(true)
    })
  const pickRule = (picked: string) => {
    if (picked === 'off') return save({ logDays: null })
    const after = Number(picked)
    during(async () => {
      const plan = await studio.retention.count({ what: ['log'], olderThanDays: after })
      setAsked({ plan, days: after, rule: true })
    })
  }
  const begin = ({ plan, days: after, rule }: Asked) =>
    during(async () => {
      if (rule) save({ logDays: after })
      const parts = plan.parts.flatMap(({ what: one, items }) => (items > 0 ? { what: one, reported: items } : []))
      if (parts.length > 0)
        await studio.retention.start({ before: plan.before, archivedOnly: plan.archivedOnly, parts })
      setAsked(null)
    })
  const dayWords = (count: number): string => t('days', { count })
  const ruleAges = logDays === null || ages.some((age) => age === logDays) ? ages : [...ages, logDays]

  return (
    <Group title={t('age.title')} about={t('age.about')}>
      <Form
        className="flex flex-col gap-3"
        onSubmit={() => {
          if (what.length > 0) look()
        }}
      >
        <fieldset className="grid gap-x-5 gap-y-1.5 @min-[440px]:grid-cols-2">
          <legend className="mb-1 font-[540] text-s">{t('age.types')}</legend>
          {deletableKinds.map((one) => (
            <Checkbox
              key={one}
              label={t(`age.kind.${one}`)}
              checked={what.includes(one)}
              onChange={({ target }) =>
                setWhat(deletableKinds.filter((each) => (each === one ? target.checked : what.includes(each))))
              }
            />
          ))}
        </fieldset>
        {what.includes('conversations') && (
          <Checkbox
            label={t('age.archivedOnly')}
            checked={archivedOnly}
            onChange={({ target }) => setArchivedOnly(target.checked)}
          />
        )}
        <InlineField label={t('age.olderThan')}>
          <Select
            label={t('age.olderThan')}
            value={days}
            choices={ages.map((age) => ({ value: String(age), label: dayWords(age) }))}
            onPick={setDays}
          />
          <Button type="submit" busy={busy && !asked} disabled={what.length === 0 || running !== null}>
            {t('age.preview')}
          </Button>
        </InlineField>
        <p role="status" className="text-faint text-s">
          {what.length === 0 ? t('age.chooseType') : nothing ? t('age.nothing') : t('age.keptNote')}
        </p>
      </Form>
      {problem && <ProblemNotice problem={problem} on={{ retry: () => look(), edit: () => look() }} />}
      <Progress />
      <Row name={t('age.rule')} hint={t('age.ruleHint')}>
        <Select
          label={t('age.rule')}
          value={logDays === null ? 'off' : String(logDays)}
          choices={[
            { value: 'off', label: t('age.ruleOff') },
            ...ruleAges.map((age) => ({ value: String(age), label: t('age.ruleAfter', { days: dayWords(age) }) })),
          ]}
          onPick={pickRule}
        />
      </Row>
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={asked ? t(asked.rule ? 'age.ruleTitle' : 'age.askTitle', { days: dayWords(asked.days) }) : ''}
        about={
          asked?.rule
            ? t('age.ruleAbout', { count: asked.plan.parts[0]?.items ?? 0 })
            : t('age.askAbout', { at: asked ? showFull(asked.plan.before) : '' })
        }
        confirm={t(asked?.rule ? 'age.ruleConfirm' : 'age.confirm')}
        busy={busy}
        onConfirm={() => {
          if (asked) begin(asked)
        }}
      >
        {asked && !asked.rule && <Plan plan={asked.plan} />}
      </ConfirmDialog>
    </Group>
  )
}

/** The items that would be deleted, with amounts. */
function Plan({ plan }: { plan: DeletionPlan }) {
  const { t } = useTranslation('data')
  return (
    <AmountTable
      columns={[t('age.types'), t('age.count'), t('age.size')]}
      rows={plan.parts.map(({ what, items, bytes, titles }) => ({
        id: what,
        name: (
          <>
            {t(`age.kind.${what}`)}
            {titles.length > 0 && (
              <span className="block text-faint">
                {t('age.titles', { titles: joinFacts(titles.map((title) => title ?? t('age.untitled'))) })}
              </span>
            )}
          </>
        ),
        first: showCount(items),
        second: bytes === null ? '' : showSize(bytes),
      }))}
    />
  )
}

/** The progress of a deletion started in any window, and the result of the last one. */
function Progress() {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const running = useData(({ erase }) => erase?.running ?? null)
  const last = useData(({ erase }) => erase?.last ?? null)
  if (running) {
    const items = running.parts.reduce((sum, part) => sum + part.items, 0)
    const done = running.parts.reduce((sum, part) => sum + part.done, 0)
    return (
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1">
          <DataProgress
            label={t('age.progress')}
            words={t('age.running')}
            figures={t('age.ofItems', { done: showCount(done), items: showCount(items) })}
            done={done}
            total={items}
          />
        </div>
        <Button disabled={running.stopping} onClick={() => void studio.retention.stop()}>
          {t(running.stopping ? 'age.stopping' : 'age.stop')}
        </Button>
      </div>
    )
  }
  if (!last) return null
  if (last.problem) return <ProblemNotice problem={last.problem} noAction />
  const count = last.parts.reduce((sum, { items }) => sum + items, 0)
  const words = last.by === 'rule' ? 'age.ruled' : last.stopped ? 'age.stopped' : 'age.done'
  return (
    <p role="status" className="text-s text-soft">
      {t(words, { count })}
    </p>
  )
}
