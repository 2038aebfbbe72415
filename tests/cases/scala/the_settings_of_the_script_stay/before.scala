//> using scala 3.4
//> using dep com.lihaoyi::os-lib:0.9
import os.Path
import os.Source
