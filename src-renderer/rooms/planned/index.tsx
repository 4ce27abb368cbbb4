import { ChartNoAxesColumn, KeyRound, type LucideIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { navigate } from '../../navigation.ts'
import type { RoomView } from '../../room.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { StageBar } from '../../ui/StageBar.tsx'

type Planned = 'usage' | 'keys'

/** A room that does not work yet: what it is for, and what can be done today instead. */
function planned(room: Planned, icon: LucideIcon): RoomView {
  const toSettings = room === 'keys'
  function Stage() {
    const { t } = useTranslation('shell')
    return (
      <>
        <StageBar title={t(`rooms.${room}`)} />
        <div className="flex min-h-0 flex-1 overflow-y-auto">
          <EmptyState
            icon={icon}
            title={t(`planned.${room}.title`)}
            action={
              <Button onClick={() => navigate({ room: toSettings ? 'settings' : 'proxy', id: null })}>
                {t(toSettings ? 'planned.toSettings' : 'planned.toProxy')}
              </Button>
            }
          >
            <p>{t(`planned.${room}.about`)}</p>
            <div className="mt-5 rounded-m bg-hover px-4 py-3 text-start text-s">
              <div className="font-semibold text-ink">{t('planned.today')}</div>
              <p className="mt-0.5">{t(`planned.${room}.today`)}</p>
            </div>
          </EmptyState>
        </div>
      </>
    )
  }
  return { Stage }
}

export const plannedRooms = {
  usage: planned('usage', ChartNoAxesColumn),
  keys: planned('keys', KeyRound),
} satisfies Record<Planned, RoomView>
