// Packs the bundle as the pages carry it (gzip without a time stamp) and keeps the licence texts beside it.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

writeFileSync("../charts.min.js.gz", gzipSync(readFileSync("charts.min.js"), { level: 9 }));
rmSync("charts.min.js");
copyFileSync("node_modules/echarts/LICENSE", "../LICENSE.echarts.txt");
copyFileSync("node_modules/echarts/NOTICE", "../NOTICE.echarts.txt");
copyFileSync("node_modules/echarts/licenses/LICENSE-d3", "../LICENSE.d3.txt");
copyFileSync("node_modules/zrender/LICENSE", "../LICENSE.zrender.txt");
