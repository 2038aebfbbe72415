abstract class Shop {
  @Input() name: string;

  constructor(private readonly post: Post) {}

  @Get("/total")
  total(lines: Line[]): number {
    return lines.length;
  }
}

class Empty {}
