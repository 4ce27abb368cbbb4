import type { CustomSeriesOption } from 'echarts/charts'
import { saveBlob } from '../../api/transfer.ts'
import { joinFacts } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import type { ChartColors } from './appearance.ts'
import { readChartColors } from './appearance.ts'
import type { ChartData } from './data.ts'
import { bucketsPerBar, folded } from './mergeBuckets.ts'
import { type ChartOption, chartGrid, chartOption } from './option.ts'

const size = { width: 1200, height: 480 }

/** The option of a saved chart, complete with its title, legend and date. */
export function pictureOption(data: ChartData, colors: ChartColors, title: string, about: string): ChartOption {
  const fold = folded(data, bucketsPerBar(data.buckets.length, size.width))
  const option = chartOption(fold.data, colors, { as: 'paths' })
  const folding = fold.per > 1 && i18n.t(`chart:folded.${data.grain}`, { count: fold.per })
  return {
    ...option,
    // ECharts shows a legend entry only for an existing series.
    series: [option.series ?? [], data.series.map(({ name, ink }) => named(name, colors.of(ink)))].flat(),
    backgroundColor: colors.raise,
    title: {
      text: title,
      subtext: joinFacts([about, folding]),
      left: 16,
      top: 12,
      textStyle: { color: colors.ink, fontFamily: colors.font, fontSize: 16, fontWeight: 600 },
      subtextStyle: { color: colors.soft, fontFamily: colors.font, fontSize: 12 },
    },
    legend: {
      type: 'plain',
      right: 16,
      top: 14,
      icon: 'roundRect',
      itemWidth: 10,
      itemHeight: 10,
      width: 640,
      data: data.series.map(({ name }) => name),
      textStyle: { color: colors.ink, fontFamily: colors.font, fontSize: 12 },
    },
    grid: { ...chartGrid, left: 16, right: 20, top: 76, bottom: 16 },
  }
}

const named = (name: string, color: string): CustomSeriesOption => ({
  type: 'custom',
  name,
  itemStyle: { color },
  data: [],
  renderItem: () => null,
})

/** Renders an SVG without touching the page, because the content security policy allows no inline style. */
export async function chartSvg(data: ChartData, title: string, about: string): Promise<string> {
  const { init } = await import('./echarts.ts')
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size })
  chart.setOption(pictureOption(data, readChartColors(), title, about))
  const text = chart.renderToSVGString()
  chart.dispose()
  return text
}

export async function saveSvg(data: ChartData, title: string, about: string, name: string): Promise<void> {
  saveBlob(new Blob([await chartSvg(data, title, about)], { type: 'image/svg+xml' }), `${name}.svg`)
}

/** Twice the screen resolution, for print. */
export async function savePng(data: ChartData, title: string, about: string, name: string): Promise<void> {
  const { init } = await import('./echarts.ts')
  const colors = readChartColors()
  const chart = init(document.createElement('div'), null, { renderer: 'canvas', ...size })
  chart.setOption(pictureOption(data, colors, title, about))
  const canvas = chart.renderToCanvas({ pixelRatio: 2, backgroundColor: colors.raise })
  chart.dispose()
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!picture) throw new Error('The browser could not encode the chart.')
  saveBlob(picture, `${name}.png`)
}
