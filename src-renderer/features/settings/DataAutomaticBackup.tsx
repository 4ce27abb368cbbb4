import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import type { KeepRules } from '../../../src-preload/contract/keepRules.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { useDesktop } from '../../shared/desktop.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { Button } from '../../shared/ui/Button.tsx'
import { Facts } from '../../shared/ui/Facts.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'
import { useData } from '../../stores/data.ts'
import { SegmentedRow, SwitchRow } from './Group.tsx'
import { useSave } from './useSave.ts'

/** What a person can choose to keep. The command line has finer rules, which show as no choice here. */
const choices = {
  week: { daily: 7 },
  month: { daily: 7, weekly: 4 },
  year: { daily: 7, weekly: 4, monthly: 12 },
} satisfies Record<string, KeepRules>
type Choice = keyof typeof choices

function choiceOf(rules: KeepRules): Choice | undefined {
  const given = Object.entries(rules)
  return (Object.keys(choices) as Choice[]).find((name) => {
    const kept: KeepRules = choices[name]
    return (
      given.length === Object.keys(kept).length &&
      given.every(([rule, count]) => kept[rule as keyof KeepRules] === count)
    )
  })
}

/** Backups once a day to a folder, with rules for which of them stay. */
export function AutomaticBackup({ settings }: { settings: Settings }) {
  const { t } = useTranslation('data')
  const save = useSave()
  const desktop = useDesktop(({ client }) => client)
  const found = useData(({ data }) => data?.automatic ?? null)
  const [folder, setFolder] = useState(settings.backupFolder ?? '')
  const [problem, setProblem] = useState<Problem | null>(null)
  const chosen = folder.trim()
  /** Saves another folder of backups that are already on. Otherwise the switch saves it. */
  const use = (path: string): void => {
    if (settings.backupAutomatic && path !== '' && path !== settings.backupFolder) save({ backupFolder: path })
  }
  const choose = async (): Promise<void> => {
    setProblem(null)
    try {
      const picked = await desktop?.chooseFolder({
        title: t('automatic.chooseTitle'),
        from: chosen === '' ? null : chosen,
      })
      if (!picked?.folder) return
      setFolder(picked.folder)
      use(picked.folder)
    } catch (thrown) {
      setProblem(problemOf(thrown))
    }
  }
  const on = { retry: () => use(chosen) }
  return (
    <>
      <Form onSubmit={() => use(chosen)} className="flex flex-col items-start gap-3">
        <div className="w-full">
          <Field label={t('automatic.folder')} hint={t('automatic.folderHint')}>
            <TextInput
              value={folder}
              onChange={(event) => setFolder(event.target.value)}
              onBlur={() => use(chosen)}
              spellCheck={false}
              mono
            />
          </Field>
        </div>
        {desktop && <Button onClick={() => void choose()}>{t('automatic.choose')}</Button>}
      </Form>
      <SwitchRow
        label={t('automatic.switch')}
        hint={t('automatic.switchHint')}
        checked={settings.backupAutomatic}
        disabled={chosen === '' && !settings.backupAutomatic}
        onChange={(backupAutomatic) => save({ backupAutomatic, ...(chosen !== '' && { backupFolder: chosen }) })}
      />
      {settings.backupAutomatic && (
        <SegmentedRow
          label={t('automatic.keep')}
          hint={t(`automatic.keepHint.${choiceOf(settings.backupKeep) ?? 'other'}`)}
          value={choiceOf(settings.backupKeep) ?? ''}
          onChange={(name) => save({ backupKeep: choices[name as Choice] })}
          segments={(Object.keys(choices) as Choice[]).map((name) => ({
            value: name,
            label: t(`automatic.keepFor.${name}`),
          }))}
        />
      )}
      {problem && <ProblemNotice problem={problem} on={on} />}
      {found?.problem && <ProblemNotice problem={found.problem} role="note" on={on} />}
      {found?.latest && (
        <p className="text-faint text-s">
          <Facts>
            <RelativeTime at={found.latest.at} did="backedUp" />
            {t('automatic.count', { count: found.count })}
          </Facts>
        </p>
      )}
    </>
  )
}
