import { CustomChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers'

// What a chart needs of ECharts and nothing more; fetched when the first chart is shown.
use([CustomChart, LineChart, GridComponent, LegendComponent, TitleComponent, CanvasRenderer, SVGRenderer])

export { init }
