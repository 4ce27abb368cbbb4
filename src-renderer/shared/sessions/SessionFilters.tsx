import { useTranslation } from 'react-i18next'
import type { SessionFilter } from '../../../src-preload/contract/sessions.ts'
import { useApps } from '../../stores/apps.ts'
import { Checkbox } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'

const all = ''

/** Which sessions are listed: those of one app, and those that lost the cache. */
export function SessionFilters(props: { filter: SessionFilter; onFilter: (filter: SessionFilter) => void }) {
  const { t } = useTranslation('sessions')
  const apps = useApps() ?? []
  const { app = all, lost } = props.filter
  const change = (next: { app: string; lost: boolean }): void =>
    props.onFilter({ ...(next.app !== all && { app: next.app }), ...(next.lost && { lost: true }) })
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Select
        label={t('filter.app')}
        value={app}
        onPick={(picked) => change({ app: picked, lost: lost === true })}
        className="max-w-60"
        choices={[
          { value: all, label: t('filter.allApps') },
          ...apps.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <Checkbox
        label={t('onlyLost')}
        checked={lost === true}
        onChange={({ target }) => change({ app, lost: target.checked })}
      />
    </div>
  )
}
