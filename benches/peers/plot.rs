//! Draws the comparison plots as one SVG: start, call and memory over the length of the file, and
//! the bytes of an edit.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::data::Data;
use super::page::{
    CALL, Figure, PEAK, RECEIVED, SENT, START, lengths, made, median, number, thousands,
};

const SIZE: (u32, u32) = (1000, 860);
/// The height of the legend below the plots.
const LEGEND: u32 = 90;
const LANGUAGES: [&str; 4] = ["rust", "python", "typescript", "json"];

/// A color for each tool, in order. treegraft's front ends are blue.
const COLORS: [RGBColor; 8] = [
    RGBColor(8, 48, 107),
    RGBColor(33, 113, 181),
    RGBColor(107, 174, 214),
    RGBColor(204, 76, 2),
    RGBColor(35, 139, 69),
    RGBColor(116, 196, 118),
    RGBColor(136, 65, 157),
    RGBColor(110, 110, 110),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(crate) fn plot(data: &Data) -> String {
    let mut svg = String::new();
    drawn(data, &mut svg).expect("it can be drawn into a text");
    svg
}

fn drawn(data: &Data, svg: &mut String) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (plots, legend) = root.split_vertically(SIZE.1 - LEGEND);
    let areas = plots.split_evenly((2, 2));
    over_lines(data, &areas[0], "Start to answer, ms", START)?;
    over_lines(data, &areas[1], "Call of a running server, ms", CALL)?;
    over_lines(data, &areas[2], "Most memory, MB", PEAK)?;
    bars(data, &areas[3])?;
    for (index, tool) in data.tools.iter().enumerate() {
        let (column, row) = ((index / 4) as i32, (index % 4) as i32);
        let (x, y) = (70 + column * 480, 8 + row * 20);
        let color = color(index);
        legend.draw(&Rectangle::new([(x, y), (x + 24, y + 10)], color.filled()))?;
        legend.draw(&Text::new(
            tool.name.clone(),
            (x + 34, y - 3),
            ("sans-serif", 15),
        ))?;
    }
    root.present()?;
    Ok(())
}

fn color(index: usize) -> RGBColor {
    COLORS[index % COLORS.len()]
}

/// Draws medians of all edits in the languages that all tools support. Both axes are logarithmic.
fn over_lines(data: &Data, area: &Area, title: &str, figure: Figure) -> Result<(), Box<dyn Error>> {
    let lengths = lengths(data);
    let lines: Vec<Vec<(f64, f64)>> = data
        .tools
        .iter()
        .map(|tool| {
            let point = |lines: &usize| {
                let value = median(&made(data, &tool.name, *lines, &LANGUAGES), figure)?;
                Some((*lines as f64, value.max(0.01)))
            };
            lengths.iter().filter_map(point).collect()
        })
        .collect();
    let values = || lines.iter().flatten().map(|(_, value)| *value);
    let (least, most) = (
        values().fold(f64::MAX, f64::min),
        values().fold(0.0, f64::max),
    );
    if least > most {
        return Ok(());
    }
    let shortest = lengths.first().map_or(1.0, |lines| *lines as f64);
    let longest = lengths.last().map_or(10.0, |lines| *lines as f64);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(56)
        .build_cartesian_2d(
            (shortest * 0.8..longest * 1.3).log_scale(),
            (least * 0.7..most * 1.4).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("lines of the file")
        .x_label_formatter(&|lines| thousands(*lines as usize))
        .y_label_formatter(&|value| number(*value))
        .light_line_style(RGBColor(240, 240, 240))
        .bold_line_style(RGBColor(220, 220, 220))
        .draw()?;
    for (index, points) in lines.into_iter().enumerate() {
        let color = color(index);
        chart.draw_series(
            points
                .iter()
                .map(|point| Circle::new(*point, 3, color.filled())),
        )?;
        chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
    }
    Ok(())
}

/// Draws the bytes that each tool sent and, paler, received.
fn bars(data: &Data, area: &Area) -> Result<(), Box<dyn Error>> {
    let bytes = |tool: &str, figure: Figure| {
        median(&made(data, tool, 0, &LANGUAGES), figure).unwrap_or_default()
    };
    let bars: Vec<[f64; 2]> = data
        .tools
        .iter()
        .map(|tool| [bytes(&tool.name, SENT), bytes(&tool.name, RECEIVED)])
        .collect();
    let most = bars.iter().flatten().copied().fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption("Bytes sent, and received (paler)", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(34)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..data.tools.len() as f64, 0.0..most * 1.05)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .disable_x_axis()
        .x_labels(0)
        .y_label_formatter(&|value| thousands(*value as usize))
        .light_line_style(RGBColor(240, 240, 240))
        .bold_line_style(RGBColor(220, 220, 220))
        .draw()?;
    for (index, [sent, received]) in bars.into_iter().enumerate() {
        let (left, color) = (index as f64, color(index));
        chart.draw_series([
            Rectangle::new([(left + 0.1, 0.0), (left + 0.48, sent)], color.filled()),
            Rectangle::new(
                [(left + 0.52, 0.0), (left + 0.9, received)],
                color.mix(0.45).filled(),
            ),
        ])?;
    }
    Ok(())
}
