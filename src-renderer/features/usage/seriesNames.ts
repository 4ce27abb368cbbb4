import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Series } from '../../../src-preload/contract/usage.ts'
import type { StackBy } from '../../stores/usage.ts'
import { restId } from './figures.ts'

/** Returns the display name of a series: translated for "other" and features, otherwise the name of the model, app or key. */
export function useSeriesName(by: StackBy): (series: Pick<Series, 'id' | 'name'>) => string {
  const { t } = useTranslation('usage')
  return useMemo(
    () =>
      ({ id, name }) => {
        if (id === restId) return t(`chart.rest.${by}`)
        if (by === 'model' && name === '') return t('table.noModel')
        if (by !== 'feature') return name
        const features = [
          'chat',
          'titles',
          'actions',
          'speech',
          'transcribe',
          'images',
          'account',
          'again',
          'tools',
        ] as const
        const feature = features.find((one) => one === id)
        return feature ? t(`chart.features.${feature}`) : name
      },
    [t, by],
  )
}
