// Sniffed as C++ by its lines.
#ifndef WIDGET_H
#define WIDGET_H

namespace ui {
class Widget;

class Button {
 public:
  Button();
};
}  // namespace ui

#endif
