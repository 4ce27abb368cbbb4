import { CustomChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers'

// The parts of ECharts that charts use. Loaded with the first chart.
use([CustomChart, LineChart, GridComponent, LegendComponent, TitleComponent, CanvasRenderer, SVGRenderer])

export { init }
